package io.latchkey.storage.http.server;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheStats;
import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A cache that the program itself uses, served as it is. Its objects are the program's, so each
 * answer encodes the object anew.
 */
final class CacheBackend<K, V> implements Backend {
  private final Cache<K, V> cache;
  private final Codec<K> keys;
  private final Codec<V> values;
  private final WriteLocks locks = new WriteLocks();

  CacheBackend(Cache<K, V> cache, Codec<K> keys, Codec<V> values) {
    this.cache = cache;
    this.keys = keys;
    this.values = values;
  }

  private K decode(ObjectKey key) {
    try {
      return keys.decode(key.bytes().clone());
    } catch (IllegalArgumentException e) {
      throw new Refusal(
          400, "the key " + key + " is none of this cache: " + StorageException.reason(e));
    }
  }

  private V decode(byte[] body) {
    try {
      return values.decode(body);
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, "the body is no object of this cache: " + StorageException.reason(e));
    }
  }

  private @Nullable StoredObject encode(@Nullable V value) {
    return value == null ? null : new StoredObject(values.encode(value)).sealByContent();
  }

  @Override
  public CompletableFuture<@Nullable StoredObject> get(ObjectKey key) {
    return cache.getAsync(decode(key)).thenApply(this::encode);
  }

  @Override
  public Map<ObjectKey, StoredObject> getAll(Collection<ObjectKey> wanted) {
    Map<K, ObjectKey> asked = new LinkedHashMap<>();
    wanted.forEach(key -> asked.put(decode(key), key));
    Map<ObjectKey, StoredObject> found = new LinkedHashMap<>();
    cache
        .getAll(asked.keySet())
        .forEach(
            (key, value) -> {
              ObjectKey name = asked.get(key);
              StoredObject object = encode(value);
              if (name != null && object != null) {
                found.put(name, object);
              }
            });
    return found;
  }

  @Override
  public String put(ObjectKey key, byte[] body, Conditions conditions) throws Exception {
    K decoded = decode(key);
    V value = decode(body);
    StoredObject object = new StoredObject(values.encode(value)).sealByContent();
    write(key, decoded, conditions, () -> cache.put(decoded, value));
    return object.etag();
  }

  @Override
  public void delete(ObjectKey key, Conditions conditions) throws Exception {
    K decoded = decode(key);
    write(key, decoded, conditions, () -> cache.remove(decoded));
  }

  private void write(ObjectKey key, K decoded, Conditions conditions, Runnable write)
      throws Exception {
    locks.holding(
        List.of(key),
        () -> {
          if (conditions.any()) {
            StoredObject current = encode(cache.get(decoded));
            String etag = current == null ? null : current.etag();
            if (!conditions.hold(etag)) {
              throw StorageBackend.failed(etag);
            }
          }
          write.run();
        });
  }

  @Override
  public void putAll(Map<ObjectKey, byte[]> bodies) throws Exception {
    Map<K, V> entries = new LinkedHashMap<>();
    bodies.forEach((key, body) -> entries.put(decode(key), decode(body)));
    locks.holding(
        bodies.keySet(),
        () -> {
          cache.putAll(entries);
        });
  }

  @Override
  public boolean writable() {
    return true;
  }

  @Override
  public boolean watchable() {
    return false;
  }

  @Override
  public String name() {
    return "a cache";
  }

  @Override
  public CacheStats stats() {
    return cache.stats();
  }

  @Override
  public long size() {
    try {
      return cache.estimatedSize();
    } catch (IllegalStateException closed) {
      return 0;
    }
  }

  /** The program closes its cache. */
  @Override
  public void close() {}
}

package io.latchkey.storage.http.server;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheStats;
import io.latchkey.cache.CacheWriteException;
import io.latchkey.storage.ConflictException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A storage, served through a cache of ready answers. */
final class StorageBackend implements Backend {
  private final Source<?, ?> source;
  private final Cache<ObjectKey, StoredObject> cache;
  private final ChangeRing ring;
  private final AutoCloseable storage;
  private final WriteLocks locks = new WriteLocks();

  /**
   * Serves a source.
   *
   * @param cache a cache over the source
   * @param storage is closed after the cache
   */
  StorageBackend(
      Source<?, ?> source,
      Cache<ObjectKey, StoredObject> cache,
      ChangeRing ring,
      AutoCloseable storage) {
    this.source = source;
    this.cache = cache;
    this.ring = ring;
    this.storage = storage;
  }

  @Override
  public CompletableFuture<@Nullable StoredObject> get(ObjectKey key) {
    return cache.getAsync(key);
  }

  @Override
  public Map<ObjectKey, StoredObject> getAll(Collection<ObjectKey> keys) {
    return cache.getAll(keys);
  }

  @Override
  public String put(ObjectKey key, byte[] body, Conditions conditions) throws Exception {
    StoredObject object = new StoredObject(body);
    write(key, conditions, () -> cache.put(key, object));
    return object.etag();
  }

  @Override
  public void delete(ObjectKey key, Conditions conditions) throws Exception {
    write(key, conditions, () -> cache.remove(key));
  }

  private void write(ObjectKey key, Conditions conditions, Runnable write) throws Exception {
    locks.holding(
        List.of(key),
        () -> {
          if (conditions.any()) {
            Source.Current current = source.current(key);
            if (!conditions.hold(current.etag())) {
              throw failed(current.etag());
            }
            source.dependOn(current);
          }
          ring.hold();
          try {
            write.run();
          } catch (CacheWriteException e) {
            if (conditions.any() && e.getCause() instanceof ConflictException) {
              throw failed(source.current(key).etag());
            }
            throw e;
          } finally {
            source.dependOnNothing();
            ring.release();
          }
        });
  }

  /** The refusal of a write whose conditions do not hold. */
  static Refusal failed(@Nullable String etag) {
    return etag == null
        ? new Refusal(412, "there is no object under this key now: create it with If-None-Match: *")
        : Refusal.withFields(
            412,
            "etag: " + etag + "\r\n",
            "the object is another one now, " + etag + ": read it again and repeat the write");
  }

  @Override
  public void putAll(Map<ObjectKey, byte[]> bodies) throws Exception {
    Map<ObjectKey, StoredObject> objects = new LinkedHashMap<>();
    bodies.forEach((key, body) -> objects.put(key, new StoredObject(body)));
    locks.holding(
        bodies.keySet(),
        () -> {
          ring.hold();
          try {
            cache.putAll(objects);
          } finally {
            ring.release();
          }
        });
  }

  @Override
  public boolean writable() {
    return source.writable();
  }

  @Override
  public boolean watchable() {
    return source.watchable();
  }

  @Override
  public String name() {
    return source.name();
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

  @Override
  public void close() {
    cache.close();
    try {
      storage.close();
    } catch (Exception e) {
      throw new IllegalStateException("cannot close " + name() + ": " + e.getMessage(), e);
    }
  }
}

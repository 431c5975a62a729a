package io.latchkey.storage;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Opens {@code memory:} and {@code memory:NAME}; {@link MemoryStorage} says what they are. */
public final class MemoryStorageProvider implements StorageProvider {
  /** The named storages that are open; guarded by itself. */
  private static final Map<String, Shared> SHARED = new HashMap<>();

  private static final class Shared {
    final MemoryStorage.Contents contents = new MemoryStorage.Contents();
    int users;
  }

  /** Made by the service loader. */
  public MemoryStorageProvider() {}

  @Override
  public String scheme() {
    return "memory";
  }

  /**
   * {@inheritDoc}
   *
   * <p>The name may hold any characters; slashes before it do not count. There are no parameters.
   */
  @Override
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    StorageUrl url = StorageUrl.of(uri);
    url.allowParameters();
    String name = url.location().replaceFirst("^/+", "");
    if (name.isEmpty()) {
      MemoryStorage.Contents own = new MemoryStorage.Contents();
      return MemoryStorage.encoded("memory:", own, keys, values, own.feed::close);
    }
    Shared shared = join(name);
    return MemoryStorage.encoded(
        StorageUrl.redact("memory:" + name), shared.contents, keys, values, () -> leave(name));
  }

  private static Shared join(String name) {
    synchronized (SHARED) {
      Shared shared = SHARED.computeIfAbsent(name, absent -> new Shared());
      shared.users++;
      return shared;
    }
  }

  private static void leave(String name) {
    synchronized (SHARED) {
      Shared shared = SHARED.get(name);
      if (shared != null && --shared.users == 0) {
        SHARED.remove(name);
      }
    }
  }
}

package io.latchkey.cache.testing;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageProvider;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Opens, under {@code probe:NAME}, a storage that a test has put there. */
public final class ProbeProvider implements StorageProvider {
  private static final Map<String, Storage<?, ?>> STORAGES = new ConcurrentHashMap<>();
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /** For the service loader. */
  public ProbeProvider() {}

  /** Makes the storage available and gives the URL that opens it. */
  public static String url(Storage<String, String> storage) {
    String name = "n" + NUMBER.incrementAndGet();
    STORAGES.put(name, storage);
    return "probe:" + name;
  }

  @Override
  public String scheme() {
    return "probe";
  }

  @Override
  @SuppressWarnings("unchecked") // tests put storages of text there and ask for such
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Storage<?, ?> storage = STORAGES.get(uri.getSchemeSpecificPart());
    if (storage == null) {
      throw new StorageException(uri.toString(), "no test put a storage there", null, false);
    }
    return (Storage<K, V>) storage;
  }
}

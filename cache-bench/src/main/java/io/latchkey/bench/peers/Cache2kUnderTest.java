package io.latchkey.bench.peers;

import io.latchkey.storage.Storage;
import io.latchkey.storage.WritableStorage;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.cache2k.Cache;
import org.cache2k.Cache2kBuilder;
import org.cache2k.io.CacheWriter;
import org.jspecify.annotations.Nullable;

/** cache2k with its loader and writer; statistics off, as they are off in the others. */
final class Cache2kUnderTest<K, V> implements CacheUnderTest<K, V> {
  /** Held, lest its level is forgotten: cache2k greets on standard error. */
  private static final Logger LOGGER = Logger.getLogger("org.cache2k");

  static {
    LOGGER.setLevel(Level.WARNING);
  }

  private final Cache<K, V> cache;

  /**
   * Builds one.
   *
   * @param life how long an object lives after it was loaded or put; null for ever
   */
  Cache2kUnderTest(Storage<K, V> storage, long bound, @Nullable Duration life) {
    @SuppressWarnings("unchecked")
    Cache2kBuilder<K, V> builder =
        (Cache2kBuilder<K, V>) (Cache2kBuilder<?, ?>) Cache2kBuilder.forUnknownTypes();
    if (life == null) {
      builder.eternal(true);
    } else {
      builder.expireAfterWrite(life.toNanos(), TimeUnit.NANOSECONDS);
    }
    builder.entryCapacity(bound).disableStatistics(true).loader(storage::load);
    if (storage instanceof WritableStorage<K, V>) {
      // Only where there is something to write: with a writer cache2k takes a slower way to load.
      builder.writer(new Writer<>(new Through<>(storage)));
    }
    cache = builder.build();
  }

  @Override
  public @Nullable V get(K key) {
    return cache.get(key);
  }

  @Override
  public void put(K key, V value) {
    cache.put(key, value);
  }

  @Override
  public void invalidate(K key) {
    cache.expireAt(key, 0);
  }

  @Override
  public long settledSize() {
    return cache.asMap().size();
  }

  @Override
  public void close() {
    cache.close();
  }

  private static final class Writer<K, V> implements CacheWriter<K, V> {
    private final Through<K, V> through;

    Writer(Through<K, V> through) {
      this.through = through;
    }

    @Override
    public void write(K key, V value) {
      through.store(key, value);
    }

    @Override
    public void delete(Object key) {}
  }
}

package io.latchkey.bench.peers;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.storage.Storage;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The caches that can be measured, by the name they have on the command line. */
public enum Implementation {
  /** Ours. */
  LATCHKEY("latchkey", "Latchkey") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new LatchkeyUnderTest<>(storage, bound);
    }
  },
  /** Caffeine, as a loading cache. */
  CAFFEINE("caffeine", "Caffeine") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new CaffeineUnderTest<>(storage, bound, Caffeine.newBuilder());
    }

    @Override
    public <K, V> CacheUnderTest<K, V> inOneThread(Storage<K, V> storage, long bound) {
      return new CaffeineUnderTest<>(storage, bound, Caffeine.newBuilder().executor(Runnable::run));
    }
  },
  /** cache2k, with loader and writer. */
  CACHE2K("cache2k", "cache2k") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new Cache2kUnderTest<>(storage, bound);
    }
  },
  /** Guava's cache, with loader. */
  GUAVA("guava", "Guava") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new GuavaUnderTest<>(storage, bound);
    }
  },
  /** A bare map of values: the ceiling. */
  CHM("chm", "bare ConcurrentHashMap") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new MapUnderTest<>(storage, bound);
    }
  },
  /** A map of futures, as written by hand. */
  CHM_FUTURE("chm-future", "ConcurrentHashMap + futures") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new FutureMapUnderTest<>(storage, bound);
    }
  },
  /** No cache: the floor. */
  DIRECT("direct", "the store itself") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new DirectUnderTest<>(storage);
    }
  };

  private final String id;
  private final String title;

  Implementation(String id, String title) {
    this.id = id;
    this.title = title;
  }

  /** The name on the command line and in result files. */
  public String id() {
    return id;
  }

  /** The name in tables. */
  public String title() {
    return title;
  }

  /** Builds the cache over a storage that the caller keeps and closes. */
  public abstract <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound);

  /**
   * Builds the cache for one thread, which does the cache's upkeep too: what is evicted then does
   * not depend on when other threads run.
   */
  public <K, V> CacheUnderTest<K, V> inOneThread(Storage<K, V> storage, long bound) {
    return over(storage, bound);
  }

  /** The implementation of that name. */
  public static Implementation of(String id) {
    return Arrays.stream(values())
        .filter(implementation -> implementation.id.equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInputException(
                    "unknown implementation '" + id + "': use one of " + names()));
  }

  private static String names() {
    return Arrays.stream(values()).map(Implementation::id).collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return id;
  }
}

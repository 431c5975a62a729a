package io.latchkey.bench.peers;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.cache.CacheBuilder;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The caches that can be measured, by the name they have on the command line. */
public enum Implementation {
  /** Ours. */
  LATCHKEY("latchkey", "Latchkey") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new LatchkeyUnderTest<>(storage, bound);
    }
  },
  /** Ours, with expiry after write. */
  LATCHKEY_EXPIRING("latchkey-expiring", "Latchkey, expiring") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return LatchkeyUnderTest.expiring(storage, bound, LIFE);
    }
  },
  /** Ours, with the readiness of each entry in a future of its own. */
  LATCHKEY_FUTURE("latchkey-future", "Latchkey, a future per entry") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new LatchkeyFutureUnderTest<>(storage, bound);
    }
  },
  /** The latch in the entry, with the entries in a map instead of our table. */
  LATCHKEY_CHM("latchkey-chm", "latch in a ConcurrentHashMap") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new MappedLatchUnderTest<>(storage, bound);
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
      // Its counts begin at once, as in its own simulator, not when it is half full.
      return new CaffeineUnderTest<>(
          storage,
          bound,
          Caffeine.newBuilder()
              .executor(Runnable::run)
              .initialCapacity((int) Math.min(bound, MOST_SIZED)));
    }
  },
  /** Caffeine with expiry after write. */
  CAFFEINE_EXPIRING("caffeine-expiring", "Caffeine, expiring") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new CaffeineUnderTest<>(storage, bound, Caffeine.newBuilder().expireAfterWrite(LIFE));
    }
  },
  /** Caffeine as an asynchronous loading cache. */
  CAFFEINE_ASYNC("caffeine-async", "Caffeine, asynchronous") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new CaffeineAsyncUnderTest<>(storage, bound);
    }
  },
  /** cache2k, with loader and writer. */
  CACHE2K("cache2k", "cache2k") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new Cache2kUnderTest<>(storage, bound, null);
    }
  },
  /** cache2k with expiry after write. */
  CACHE2K_EXPIRING("cache2k-expiring", "cache2k, expiring") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new Cache2kUnderTest<>(storage, bound, LIFE);
    }
  },
  /** Guava's cache, with loader. */
  GUAVA("guava", "Guava") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new GuavaUnderTest<>(storage, bound, CacheBuilder.newBuilder());
    }
  },
  /** Guava's cache with expiry after write. */
  GUAVA_EXPIRING("guava-expiring", "Guava, expiring") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new GuavaUnderTest<>(storage, bound, CacheBuilder.newBuilder().expireAfterWrite(LIFE));
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
  /** A map of {@code FutureTask}s. */
  CHM_TASK("chm-task", "ConcurrentHashMap + FutureTasks") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new TaskMapUnderTest<>(storage, bound);
    }
  },
  /** A map of entries with a {@code CountDownLatch} each. */
  CHM_LATCH("chm-latch", "ConcurrentHashMap + latches") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new LatchMapUnderTest<>(storage, bound);
    }
  },
  /** No cache: the floor. */
  DIRECT("direct", "the store itself") {
    @Override
    public <K, V> CacheUnderTest<K, V> over(Storage<K, V> storage, long bound) {
      return new DirectUnderTest<>(storage);
    }
  };

  /**
   * How long objects live in the expiring ones: longer than anything is measured, so that none
   * expires and only the upkeep is paid.
   */
  private static final Duration LIFE = Duration.ofHours(1);

  /** Tables are not made larger than that before anything is in them. */
  private static final long MOST_SIZED = 1 << 24;

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

  /** Whether it can be bounded to hold nothing. */
  public boolean takesZero() {
    return this != CACHE2K && this != CACHE2K_EXPIRING;
  }

  /** The same with expiry after write; null if there is no such one. */
  public @Nullable Implementation expiring() {
    return Arrays.stream(values())
        .filter(implementation -> implementation.id.equals(id + "-expiring"))
        .findFirst()
        .orElse(null);
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

  /** The names of all caches, separated by commas. */
  public static String names() {
    return Arrays.stream(values())
        .filter(implementation -> implementation != DIRECT)
        .map(Implementation::id)
        .collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return id;
  }
}

package io.latchkey.bench.neighbour;

import io.latchkey.bench.peers.CacheUnderTest;
import java.util.Locale;

/** What is done beside a slow load, none of which is about its key. */
public enum Work {
  /** Loads another key of the same hash, at once. */
  GET("get of another key of the same hash") {
    @Override
    void run(CacheUnderTest<Object, Object> cache) {
      cache.get(new Key(1, HASH));
    }
  },
  /** Invalidates another key of the same hash. */
  REMOVE("remove of another key of the same hash") {
    @Override
    void prepare(CacheUnderTest<Object, Object> cache) {
      cache.get(new Key(1, HASH));
    }

    @Override
    void run(CacheUnderTest<Object, Object> cache) {
      cache.invalidate(new Key(1, HASH));
    }
  },
  /** Invalidates the very key that is loading. */
  REMOVE_LOADING("remove of the loading key") {
    @Override
    void run(CacheUnderTest<Object, Object> cache) {
      cache.invalidate(SLOW);
    }
  },
  /** Loads many other keys, far more than the bound. */
  INSERTS("20,000 inserts with eviction") {
    @Override
    void run(CacheUnderTest<Object, Object> cache) {
      for (int i = 0; i < INSERTED; i++) {
        cache.get(new Key(i, i));
      }
    }
  };

  /** The bound of the caches. */
  static final int BOUND = 1000;

  private static final int INSERTED = 20_000;
  private static final int HASH = 42;

  /** The key whose load is slow. */
  static final Key SLOW = new Key(0, HASH);

  private final String title;

  Work(String title) {
    this.title = title;
  }

  /** A short name for files. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What it is, in a few words. */
  public String title() {
    return title;
  }

  /** Done before the slow load begins. */
  void prepare(CacheUnderTest<Object, Object> cache) {}

  abstract void run(CacheUnderTest<Object, Object> cache);

  /** A key with a hash of choice. */
  record Key(int number, int hash) implements Comparable<Key> {
    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.number == number && key.hash == hash;
    }

    @Override
    public int compareTo(Key other) {
      return Integer.compare(number, other.number);
    }
  }
}

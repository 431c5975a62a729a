package io.latchkey.cache;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A look at the bound and the order of a running cache. */
public interface CachePolicy<K, V> {
  /** The bound, in entries or weight; {@code Long.MAX_VALUE} when there is none. */
  long maximum();

  /** Changes the bound; what is too much is evicted at once. */
  void setMaximum(long maximum);

  /**
   * How long ago the object was loaded or put; empty when it is not cached or the cache keeps no
   * time.
   */
  Optional<Duration> age(K key);

  /** Up to {@code limit} keys that would be evicted last, the last first. */
  List<K> hottest(int limit);

  /** Up to {@code limit} keys that would be evicted first, the first first. */
  List<K> coldest(int limit);
}

package io.latchkey.cache;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The bound and the order of a running cache, see {@link Cache#policy}. Thread-safe. It never
 * touches the storage, and its look-ups count nowhere and renew nothing.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface CachePolicy<K, V> {
  /**
   * The bound now. Costs one read of memory.
   *
   * @return the bound in entries, or in units of the weigher if there is one; {@code
   *     Long.MAX_VALUE} if the cache was built without one
   */
  long maximum();

  /**
   * Changes the bound. What is too much is evicted before this returns, and the removal listener is
   * told. With zero nothing is kept any more, and loads are still shared. Costs time in proportion
   * to what is evicted.
   *
   * @param maximum the new bound, zero or more, in the unit of {@link #maximum}
   * @throws IllegalArgumentException if it is negative
   * @throws IllegalStateException if the cache is closed
   */
  void setMaximum(long maximum);

  /**
   * How long ago an object was loaded or put, by the clock of the cache; with the default clock
   * exact to about a millisecond.
   *
   * @param key the key
   * @return the age, or empty if the object is not cached or has expired, or if the cache keeps no
   *     time: it does with any of the options that expire, refresh, or remember absences or
   *     failures
   * @throws NullPointerException if the key is null
   * @throws IllegalStateException if the cache is closed
   */
  Optional<Duration> age(K key);

  /**
   * The keys of the objects that were used most, these first; for warming up another cache, say.
   * The cache counts uses roughly, and only as far as eviction needs it, so that many are equal.
   * What is used while this runs may stand anywhere. Copies and sorts all entries, and holds the
   * policy's lock while it copies: others miss more slowly meanwhile.
   *
   * @param limit how many keys at most, zero or more
   * @return the keys, an unmodifiable list; absent, failed and expired ones are left out
   * @throws IllegalArgumentException if the limit is negative
   * @throws IllegalStateException if the cache is closed
   */
  List<K> hottest(int limit);

  /**
   * The keys of the objects that were used least, these first; otherwise as {@link #hottest}. They
   * are likely, not certain, to be evicted next.
   *
   * @param limit how many keys at most, zero or more
   * @return the keys, an unmodifiable list; absent, failed and expired ones are left out
   * @throws IllegalArgumentException if the limit is negative
   * @throws IllegalStateException if the cache is closed
   */
  List<K> coldest(int limit);
}

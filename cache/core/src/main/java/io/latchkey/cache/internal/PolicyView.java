package io.latchkey.cache.internal;

import io.latchkey.cache.CachePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The bound and the order of a running cache. */
final class PolicyView<K, V> implements CachePolicy<K, V> {
  private final LatchCache<K, V> cache;
  private final CacheParts<K, V> parts;

  PolicyView(LatchCache<K, V> cache, CacheParts<K, V> parts) {
    this.cache = cache;
    this.parts = parts;
  }

  @Override
  public long maximum() {
    return parts.admission.maximum();
  }

  @Override
  public void setMaximum(long maximum) {
    if (maximum < 0) {
      throw new IllegalArgumentException("maximum must be zero or more, not " + maximum);
    }
    cache.checkOpen();
    parts.admission.resize(maximum, parts.flights.now());
  }

  @Override
  public Optional<Duration> age(K key) {
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    cache.checkOpen();
    Lifetimes times = parts.lifetimes;
    Entry entry = times == null ? null : parts.table.findSurely(key, hash);
    if (times == null || entry == null || Flights.servable(entry) == null) {
      return Optional.empty();
    }
    long now = times.now();
    return times.expired(entry, now)
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(Lifetimes.age(entry, now)));
  }

  @Override
  public List<K> hottest(int limit) {
    return keys(true, limit);
  }

  @Override
  public List<K> coldest(int limit) {
    return keys(false, limit);
  }

  @SuppressWarnings("unchecked")
  private List<K> keys(boolean hottestFirst, int limit) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must be zero or more, not " + limit);
    }
    cache.checkOpen();
    Lifetimes times = parts.lifetimes;
    long now = parts.flights.now();
    parts.admission.cleanUp(now);
    List<Ranked> ranked = new ArrayList<>();
    parts.admission.forEach(entry -> ranked.add(new Ranked(entry, entry.counter)));
    ranked.sort(Comparator.comparingInt(Ranked::uses));
    if (hottestFirst) {
      Collections.reverse(ranked);
    }
    return ranked.stream()
        .map(Ranked::entry)
        .filter(entry -> Flights.servable(entry) != null)
        .filter(entry -> times == null || !times.expired(entry, now))
        .limit(limit)
        .map(entry -> (K) entry.key)
        .toList();
  }

  /**
   * An entry with the uses that the policy will see; among equals the place in the queue decides.
   */
  private record Ranked(Entry entry, int uses) {}
}

package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cache that consists of a policy and a map, by one thread; checks the policy's books. */
final class PolicySimulation {
  final EvictionPolicy policy;
  final Map<Object, Entry> contents = new HashMap<>();
  private long hits;
  private long weight;

  PolicySimulation(EvictionPolicy policy) {
    this.policy = policy;
  }

  /** Asks for a key; a miss admits it with a weight of one. */
  void access(Object key) {
    access(key, 1);
  }

  /** Asks for a key; a miss admits it with this weight. */
  void access(Object key, int units) {
    Entry there = contents.get(key);
    if (there != null) {
      hits++;
      there.touch();
      return;
    }
    WeighedEntry entry = new WeighedEntry(key, Table.hash(key), "object", Entry.READY);
    entry.weight(units);
    contents.put(key, entry);
    weight += units;
    policy.admit(entry);
    evict();
  }

  /** Takes out what the policy gives away. */
  void evict() {
    for (Entry victim = policy.victim(); victim != null; victim = policy.victim()) {
      assertThat(victim.mark).isEqualTo(EvictionPolicy.NONE);
      assertThat(contents.remove(victim.key)).as("evicted twice: %s", victim.key).isSameAs(victim);
      weight -= victim.weight();
    }
    assertThat(policy.over()).isFalse();
  }

  /** Takes out a key for another reason than eviction. */
  void remove(Object key) {
    Entry gone = contents.remove(key);
    if (gone != null) {
      weight -= gone.weight();
      policy.remove(gone);
      assertThat(gone.mark).isEqualTo(EvictionPolicy.NONE);
    }
  }

  boolean holds(Object key) {
    return contents.containsKey(key);
  }

  @Nullable Entry entry(Object key) {
    return contents.get(key);
  }

  /** What the policy holds, in the order of its queues. */
  List<Object> order() {
    List<Object> keys = new ArrayList<>();
    policy.forEach(entry -> keys.add(entry.key));
    return keys;
  }

  long hits() {
    return hits;
  }

  void check() {
    assertThat(policy.size()).isEqualTo(contents.size());
    assertThat(policy.weight()).isEqualTo(weight);
    List<Object> order = order();
    assertThat(order).hasSameSizeAs(contents.keySet()).containsAll(contents.keySet());
    assertThat(contents.values()).allMatch(entry -> entry.mark != EvictionPolicy.NONE);
  }
}

package io.latchkey.cache.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds loads that wait for themselves.
 *
 * <p>The edges are read from what is there anyway: an entry's stack names the {@link Leader} of its
 * load, and a leader that waits names the entries that it waits for. A thread writes its own edge
 * before it searches, and both are volatile, so of the threads that close a cycle at least the last
 * one finds it. A thread that waits without leading a load is in no cycle and does not search.
 */
final class WaitCycle {
  private WaitCycle() {}

  /**
   * The leader of a flight now: the promoted one if there is one, else the token at the bottom.
   *
   * @param steps how many waiters to look at
   */
  static @Nullable Token token(Entry entry, int steps) {
    Node node = entry.stack();
    for (int i = 0; i < steps && node instanceof Waiter waiter; i++) {
      if (waiter.state() == Waiter.PROMOTED) {
        return waiter instanceof Waiter.LeaderMark mark ? mark.token : waiter.leader();
      }
      node = waiter.nextAcquire();
    }
    return node instanceof Token token ? token : null;
  }

  /**
   * The keys on a way from these entries back to loads of this leader; null when there is none. The
   * leader's {@code waitingOn} is set already.
   */
  static @Nullable List<Object> find(Entry[] from, Leader self) {
    Set<Entry> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Entry entry : from) {
      List<Object> path = new ArrayList<>();
      if (leadsBack(entry, self, seen, path)) {
        return path;
      }
    }
    return null;
  }

  private static boolean leadsBack(Entry start, Leader self, Set<Entry> seen, List<Object> path) {
    // Depth first, by hand: a chain of loads may be long and the stack short.
    List<Entry> open = new ArrayList<>(List.of(start));
    while (!open.isEmpty()) {
      Entry entry = open.remove(open.size() - 1);
      if (!seen.add(entry)) {
        continue;
      }
      path.add(entry.key);
      Leader leader = leader(entry);
      if (leader == self) {
        return true;
      }
      Entry[] next = leader == null ? null : leader.waitingOn;
      if (next != null) {
        Collections.addAll(open, next);
      }
    }
    return false;
  }

  private static @Nullable Leader leader(Entry entry) {
    Node node = entry.stack();
    while (node instanceof Waiter waiter) {
      if (waiter.state() == Waiter.PROMOTED) {
        return waiter.leader();
      }
      node = waiter.nextAcquire();
    }
    return node instanceof Token token ? token.leader() : null;
  }

  static String describe(List<Object> keys) {
    return keys.stream().map(Failure::text).collect(Collectors.joining(" -> "));
  }
}

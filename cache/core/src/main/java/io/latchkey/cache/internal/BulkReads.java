package io.latchkey.cache.internal;

import io.latchkey.cache.internal.Reads.Look;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Look-ups of several keys: what is cached is taken, flights under way are joined, and the rest is
 * loaded together. What this thread leads is published before it waits for anything, so that two
 * bulks that cross cannot wait for each other.
 */
final class BulkReads {
  private static final long SUSPICIOUS_NANOS = 20_000_000;
  private static final long LOOK_NANOS = 500_000_000;

  private final Flights flights;
  private final Launcher launcher;
  private final Joins joins;
  private final Reads reads;
  private final boolean singly;

  /**
   * @param singly whether the storage has no bulk load of its own
   */
  BulkReads(Flights flights, Launcher launcher, Joins joins, Reads reads, boolean singly) {
    this.flights = flights;
    this.launcher = launcher;
    this.joins = joins;
    this.reads = reads;
    this.singly = singly;
  }

  /** One of the flights that a bulk joined. */
  private static final class Joined {
    final Object key;
    final Entry flight;
    final Waiter.OfBulk waiter;

    /** Whether it is this call that started the flight, on the executor. */
    final boolean started;

    @Nullable Object outcome;

    Joined(Object key, Entry flight, Waiter.OfBulk waiter, boolean started) {
      this.key = key;
      this.flight = flight;
      this.waiter = waiter;
      this.started = started;
    }
  }

  /** What one call gathers. */
  private static final class Gathering {
    final Map<Object, Object> outcomes = new HashMap<>();
    final List<Joined> joined = new ArrayList<>();
    final Waiter.BulkWait wait;

    Gathering(boolean mayLead) {
      wait = new Waiter.BulkWait(mayLead);
    }
  }

  /** The objects of these keys, absent ones left out, in the order of the keys. */
  Map<Object, Object> getAll(Collection<?> wanted) {
    Set<Object> keys = distinct(wanted);
    Gathering found = new Gathering(!launcher.always());
    BulkLoad load = new BulkLoad(flights, launcher, singly, Task.Purpose.WAIT);
    load.claim(); // so that nobody takes the load over before it is complete
    load.leader(launcher.always() ? null : Leader.current());
    boolean handed = false;
    boolean done = false;
    try {
      for (Object key : keys) {
        gather(key, found, load);
      }
      if (!launcher.always()) {
        lead(load, found);
      } else {
        handed = true;
        launch(load);
      }
      await(found);
      done = true;
    } finally {
      if (!done) {
        boolean left = false;
        try {
          giveUp(load, handed, found);
          left = true;
        } finally {
          for (int i = 0; !left && !handed && i < load.count; i++) { // no calls: no stack is left
            Entry entry = load.led[i];
            if (entry != null && (entry.state == Entry.LOADING || entry.state == Entry.DETACHED)) {
              entry.state = Entry.ABANDONED;
            }
          }
        }
      }
    }
    return result(keys, found);
  }

  /** Something threw: leaves what was joined, and hands on what this thread was to load. */
  private void giveUp(BulkLoad load, boolean handed, Gathering found) {
    forsake(found);
    if (!handed && load.state == Task.RUNNING) {
      load.dissolve();
      load.end();
      load.leader(null);
    }
  }

  private static Set<Object> distinct(Collection<?> wanted) {
    Set<Object> keys = new LinkedHashSet<>();
    for (Object key : wanted) {
      keys.add(Objects.requireNonNull(key, "keys must not contain null"));
    }
    return keys;
  }

  private Map<Object, Object> result(Set<Object> keys, Gathering found) {
    Map<Object, Object> result = new LinkedHashMap<>();
    for (Object key : keys) {
      Object outcome = found.outcomes.get(key);
      if (outcome instanceof Interruption interruption) {
        throw flights.interrupted(key, interruption.cause());
      }
      if (outcome instanceof Failure failure) {
        throw failure.exception();
      }
      if (outcome != null && outcome != Entry.ABSENT) {
        result.put(key, outcome);
      }
    }
    return result;
  }

  // ---- gathering

  private void gather(Object key, Gathering found, BulkLoad load) {
    int hash = Table.hash(key);
    if (launcher.always() && singly) {
      gatherSingle(key, hash, found);
      return;
    }
    boolean counted = false;
    for (; ; ) {
      Waiter.OfBulk waiter = launcher.always() ? new Waiter.OfBulk(found.wait) : null;
      Node stack = waiter == null ? load : waiter;
      if (waiter != null) {
        waiter.standOn(load);
      }
      Entry mine = flights.flight(key, hash, stack);
      Entry there = insert(mine, load, waiter, found);
      long now = flights.now();
      Look look = there == mine ? Look.LOADING : reads.look(there, now);
      counted = count(look, counted);
      if (there == mine) {
        return;
      }
      if (look == Look.HIT) {
        Object outcome = reads.use(there, now);
        if (outcome != null) {
          found.outcomes.put(key, outcome);
          return;
        }
      } else if (look == Look.LOADING) {
        if (join(key, there, found)) {
          return;
        }
      } else if (look == Look.EXPIRED) {
        Entry renewal = reads.renewal(there, mine, stack, now);
        if (renewal != null) {
          start(load, renewal, waiter, found);
          return;
        }
        Reload reload = flights.reloads.get(there);
        if (reload != null && reads.usable(reload) && join(key, reload, found)) {
          return;
        }
      }
    }
  }

  private Entry insert(Entry mine, BulkLoad load, Waiter.@Nullable OfBulk waiter, Gathering found) {
    boolean done = false;
    try {
      Entry there = flights.enter(mine, false);
      if (there == mine) {
        start(load, mine, waiter, found);
      }
      done = true;
      return there;
    } finally {
      if (!done) {
        mine.state = Entry.ABANDONED;
      }
    }
  }

  /** Takes a new flight into the load; its waiter, if any, is on its stack already. */
  private static void start(
      BulkLoad load, Entry flight, Waiter.@Nullable OfBulk waiter, Gathering found) {
    load.add(flight);
    if (waiter != null) {
      found.joined.add(new Joined(flight.key, flight, waiter, true));
    }
  }

  private boolean count(Look look, boolean counted) {
    if (counted || look == Look.GONE) {
      return counted;
    }
    if (look == Look.HIT) {
      flights.counters.hit();
    } else {
      flights.counters.miss();
    }
    return true;
  }

  private boolean join(Object key, Entry flight, Gathering found) {
    joins.checkOwn(flight, Integer.MAX_VALUE);
    Waiter.OfBulk waiter = new Waiter.OfBulk(found.wait);
    if (!flight.push(waiter)) {
      flight.awaitSettled();
      return false;
    }
    found.joined.add(new Joined(key, flight, waiter, false));
    return true;
  }

  /** A load of its own for the key, on the executor; this thread only waits. */
  private void gatherSingle(Object key, int hash, Gathering found) {
    Waiter.OfBulk waiter = new Waiter.OfBulk(found.wait);
    Reads.Boarding boarding = reads.board(key, hash, waiter, Task.Purpose.WAIT, false);
    if (boarding.flight == null) {
      found.outcomes.put(key, boarding.outcome);
    } else {
      found.joined.add(new Joined(key, boarding.flight, waiter, true));
    }
  }

  // ---- leading and waiting

  private void lead(BulkLoad load, Gathering found) {
    if (load.isEmpty()) {
      load.leader(null);
      return;
    }
    load.runClaimed();
    for (Entry entry : load.led()) {
      Object outcome = load.outcome(entry);
      found.outcomes.put(entry.key, outcome == null ? Entry.ABSENT : reads.orStale(entry, outcome));
    }
    Interruption interruption = load.interruption();
    if (interruption != null) {
      throw flights.interrupted(load.led().get(0).key, interruption.cause());
    }
  }

  /** Leaves all flights that were joined. */
  private void forsake(Gathering found) {
    for (Joined each : found.joined) {
      if (each.outcome == null && !each.waiter.leave() && each.waiter.state() == Waiter.PROMOTED) {
        flights.handOn(each.flight);
        each.waiter.resign();
      }
    }
  }

  private void await(Gathering found) {
    if (found.joined.isEmpty()) {
      return;
    }
    long start = flights.counters.start();
    try {
      for (Joined each : found.joined) {
        if (!each.started) {
          joins.prepare(each.flight, found.wait.mayLead);
        }
      }
      for (Joined each : found.joined) {
        await(each, found);
        Object outcome = each.outcome;
        found.outcomes.put(
            each.key,
            outcome == Joins.RETRY || outcome == null
                ? reads.get(each.key, Table.hash(each.key), null, true)
                : reads.orStale(each.flight, outcome));
      }
    } finally {
      flights.counters.waited(start);
    }
  }

  private void await(Joined each, Gathering found) {
    boolean looked = false;
    Leader suspect = null;
    long look = System.nanoTime() + SUSPICIOUS_NANOS;
    int lapses = 0;
    try {
      while (each.outcome == null) {
        if (each.waiter.state() == Waiter.WOKEN) {
          each.outcome = Joins.outcome(each.waiter);
          return;
        }
        if (Thread.interrupted()) {
          throw flights.interrupted(each.key, null);
        }
        if (found.wait.promoted) {
          found.wait.promoted = false;
          leadPromoted(found);
          continue;
        }
        long now = System.nanoTime();
        if (look - now <= 0) {
          look = now + LOOK_NANOS;
          if (!looked) {
            looked = true;
            suspect = Leader.known();
            if (suspect != null) {
              suspicious(found, suspect);
            }
          } else if (joins.over(each.flight) && ++lapses > 1 && each.waiter.leave()) {
            each.outcome = Joins.RETRY;
            continue;
          }
          joins.takeUpQueued(each.flight, found.wait.mayLead);
          flights.wake.finish();
          continue;
        }
        LockSupport.parkNanos(this, look - now);
      }
    } finally {
      if (suspect != null) {
        suspect.waitingOn = null;
      }
    }
  }

  private void leadPromoted(Gathering found) {
    for (Joined each : found.joined) {
      if (each.outcome != null || each.waiter.state() != Waiter.PROMOTED) {
        continue;
      }
      Leader me = Leader.current();
      found.wait.leader = me;
      try {
        each.outcome = flights.lead(each.flight, me);
      } finally {
        if (each.outcome == null) {
          each.flight.state = Entry.ABANDONED;
        }
        each.waiter.resign();
        found.wait.leader = null;
      }
      if (each.outcome instanceof Interruption interruption) {
        throw flights.interrupted(each.key, interruption.cause());
      }
    }
  }

  private void suspicious(Gathering found, Leader me) {
    if (me.depth == 0) {
      return;
    }
    List<Entry> waited = new ArrayList<>();
    for (Joined each : found.joined) {
      if (each.outcome == null && each.waiter.state() == Waiter.WAITING) {
        waited.add(each.flight);
      }
    }
    Entry[] edges = waited.toArray(new Entry[0]);
    me.waitingOn = edges;
    List<Object> path = WaitCycle.find(edges, me);
    if (path != null) {
      throw joins.recursive(edges[0], path);
    }
  }

  // ---- prefetch

  /** Starts loads that nobody waits for. */
  void prefetch(Collection<?> wanted) {
    Set<Object> keys = distinct(wanted);
    if (singly) {
      for (Object key : keys) {
        reads.prefetch(key, Table.hash(key));
      }
      return;
    }
    BulkLoad load = new BulkLoad(flights, launcher, false, Task.Purpose.PREFETCH);
    load.claim(); // so that nobody takes the load over before it is complete
    boolean gathered = false;
    try {
      for (Object key : keys) {
        prefetch(key, load);
      }
      gathered = true;
    } finally {
      if (!gathered) {
        load.dissolve();
        load.end();
      }
    }
    launch(load);
  }

  private void prefetch(Object key, BulkLoad load) {
    Entry entry = reads.prefetch(key, Table.hash(key), load);
    if (entry == null) {
      return;
    }
    boolean done = false;
    try {
      load.add(entry);
      done = true;
    } finally {
      if (!done) {
        entry.state = Entry.ABANDONED;
      }
    }
  }

  /** Gives a complete load to the executor. */
  private void launch(BulkLoad load) {
    if (!load.isEmpty() && load.requeue()) {
      launcher.watch(load);
      launcher.submit(load);
    }
  }
}

package io.latchkey.cache.internal;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One {@code loadAll} for several flights, and their token. Over a storage that has no {@code
 * loadAll} of its own the flights are loaded singly, on the caller's thread, so that a failure of
 * one does not take the others with it.
 */
final class BulkLoad extends Task {
  private final Flights flights;
  private final Launcher launcher;
  private final boolean singly;

  /** The flights, up to {@code count}: a plain array, since looking at it needs no call. */
  @Nullable Entry[] led = new Entry[16];

  int count;

  /** Outcomes of the flights in {@code led}, as far as they ended on this thread. */
  private final Map<Entry, Object> outcomes = new HashMap<>();

  /** Flights whose load has begun; only used when they are loaded singly. */
  private final Set<Entry> begun = new HashSet<>();

  private @Nullable Interruption interruption;

  BulkLoad(Flights flights, Launcher launcher, boolean singly, Purpose purpose) {
    super(purpose);
    this.flights = flights;
    this.launcher = launcher;
    this.singly = singly;
  }

  void add(Entry entry) {
    if (count == led.length) {
      led = Arrays.copyOf(led, count * 2);
    }
    led[count] = entry;
    count++;
  }

  boolean isEmpty() {
    return count == 0;
  }

  List<Entry> led() {
    return Arrays.asList(led).subList(0, count);
  }

  /** How a flight ended; null if this load did not end it. */
  @Nullable Object outcome(Entry entry) {
    return outcomes.get(entry);
  }

  /** Set when the thread that ran this was interrupted; what it had not loaded was handed on. */
  @Nullable Interruption interruption() {
    return interruption;
  }

  @Override
  boolean runClaimed() {
    Leader me = Leader.current();
    leader(me);
    boolean done = false;
    try {
      if (singly) {
        loadSingly(me);
      } else {
        loadTogether(me);
      }
      done = true;
    } finally {
      if (!done) {
        for (int i = 0; i < count; i++) {
          Entry entry = led[i];
          if (entry != null && (entry.state == Entry.LOADING || entry.state == Entry.DETACHED)) {
            entry.state = Entry.ABANDONED;
          }
        }
      }
      leader(null);
    }
    return false;
  }

  private void loadSingly(Leader me) {
    for (Entry entry : led()) {
      if (interruption == null && yetToBegin(entry)) {
        loadNow(entry, me);
      }
    }
    end();
    if (interruption != null) {
      dissolve();
    }
  }

  /**
   * Whether this thread, which runs the whole, may load this flight out of turn: the load of one
   * key may ask for another of the same bulk.
   */
  boolean yetToBegin(Entry entry) {
    return singly && !begun.contains(entry) && entry.stack() != null;
  }

  void loadNow(Entry entry, Leader me) {
    begun.add(entry);
    Object outcome = null;
    try {
      outcome = flights.lead(entry, me);
    } finally {
      if (outcome == null) {
        entry.state = Entry.ABANDONED;
      }
    }
    if (outcome instanceof Interruption end) {
      interruption = end;
    }
    outcomes.put(entry, outcome);
  }

  private void loadTogether(Leader me) {
    Map<Object, Entry> byKey = new LinkedHashMap<>();
    for (Entry entry : led()) {
      byKey.put(entry.key, entry);
    }
    long start = flights.counters.start();
    Map<Object, Object> found = new HashMap<>();
    Throwable failure = null;
    int outer = me.enter(byKey.keySet());
    try {
      Map<Object, Object> loaded = flights.loadAll(Collections.unmodifiableSet(byKey.keySet()));
      if (loaded == null) {
        throw new NullPointerException("loadAll returned null instead of a map");
      }
      for (Map.Entry<Object, Object> each : loaded.entrySet()) {
        if (each.getKey() != null && each.getValue() != null && byKey.containsKey(each.getKey())) {
          found.putIfAbsent(each.getKey(), each.getValue());
        }
      }
    } catch (Throwable thrown) {
      failure = thrown;
    }
    me.loading[outer] = null;
    me.depth = outer;
    boolean interrupted = failure != null && Flights.interruption(failure);
    if (interrupted) {
      interruption = new Interruption(failure);
    }
    if (end()) {
      if (interrupted) {
        flights.counters.abandoned(start);
      } else if (failure != null) {
        flights.counters.failed(start);
      } else {
        flights.counters.loaded(start);
      }
    }
    for (Entry entry : led()) {
      Object value = found.get(entry.key);
      if (value != null || failure == null) {
        outcomes.put(entry, flights.settle(entry, value == null ? Entry.ABSENT : value, true));
      } else if (!interrupted) {
        outcomes.put(entry, flights.fail(entry, flights.loadFailure(entry.key, failure), true));
      }
    }
    if (interrupted) {
      dissolve();
    }
  }

  /** Leaves all flights that are still open to their waiters; nobody leads them any more. */
  void dissolve() {
    for (Entry entry : led()) {
      if (!outcomes.containsKey(entry) && entry.stack() != null) {
        flights.handOn(entry);
        outcomes.put(entry, new Interruption(null));
      }
    }
  }

  @Override
  void refused(@Nullable Throwable refusal, boolean full) {
    if (full && purpose == Purpose.PREFETCH) {
      flights.counters.prefetchesDropped.add(count);
    }
    dissolve();
  }

  @Override
  void expire() {
    led().forEach(launcher::timedOut);
  }
}

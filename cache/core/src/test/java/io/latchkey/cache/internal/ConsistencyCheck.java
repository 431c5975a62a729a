package io.latchkey.cache.internal;

import io.latchkey.cache.Cache;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Walks every structure of a cache and names what does not fit together. Nothing may be under way
 * meanwhile: no call, no load, no task on the executor.
 *
 * <p>Flights may be left only where no thread of the cache can go on with them: their task waits in
 * an executor that the user gave, or an asynchronous storage has not answered.
 */
public final class ConsistencyCheck {
  private final CacheParts<?, ?> parts;
  private final Table table;
  private final Admission admission;
  private final List<String> faults = new ArrayList<>();

  /** What can be served or remembered: READY and FAILED entries of the table. */
  private final Set<Entry> alive = Collections.newSetFromMap(new IdentityHashMap<>());

  private ConsistencyCheck(CacheParts<?, ?> parts) {
    this.parts = parts;
    table = parts.table;
    admission = parts.admission;
  }

  /** Fails if anything in the cache does not fit together. */
  public static void check(Cache<?, ?> cache) {
    List<String> faults = faults(cache);
    if (!faults.isEmpty()) {
      throw new AssertionError(cache + " is inconsistent:\n  " + String.join("\n  ", faults));
    }
  }

  /** What does not fit together; a good cache has no faults. Works off what is due on the way. */
  public static List<String> faults(Cache<?, ?> cache) {
    ConsistencyCheck check = new ConsistencyCheck(((LatchCache<?, ?>) cache).parts);
    check.look();
    return check.faults;
  }

  private void look() {
    lookAtAdmission();
    long now = parts.flights.now();
    admission.cleanUp(now);
    faults.addAll(TableCheck.faults(table, this::lookAtEntry));
    admission.inspect((policy, index) -> lookAtBooks(policy, index, now));
    lookAtFlights();
    lookAtCounters();
  }

  private void expect(boolean holds, String fault) {
    if (!holds) {
      faults.add(fault);
    }
  }

  // ---- entries

  private void lookAtEntry(Entry entry) {
    Object outcome = entry.outcomePlain();
    switch (entry.stateAcquire()) {
      case Entry.READY:
        alive.add(entry);
        expect(isObject(outcome), text(entry) + " is READY with " + outcome);
        break;
      case Entry.FAILED:
        alive.add(entry);
        expect(outcome instanceof Failure, text(entry) + " is FAILED with " + outcome);
        break;
      case Entry.LOADING:
        expect(waits(entry), text(entry) + " is still loading in the table");
        break;
      default:
        faults.add(text(entry) + " stands in the table in state " + entry.stateAcquire());
        break;
    }
  }

  private boolean isObject(@Nullable Object outcome) {
    if (outcome == Entry.ABSENT) {
      return parts.lifetimes != null && parts.lifetimes.keepsAbsent();
    }
    return outcome != null
        && !(outcome instanceof Node)
        && !(outcome instanceof Failure)
        && outcome.getClass() != Entry.ABSENT.getClass();
  }

  // ---- the books

  private void lookAtAdmission() {
    expect(admission.idle(), "the policy lock is held, or its queue has not been worked off");
    if (!admission.damaged) {
      admission.inspect(
          (policy, index) ->
              expect(
                  policy.weight() <= admission.maximum(),
                  policy.weight() + " is more than the bound of " + admission.maximum()));
    }
  }

  private void lookAtBooks(EvictionPolicy policy, @Nullable ExpiryIndex index, long now) {
    Set<Entry> held = lookAtPolicy(policy);
    for (Entry entry : alive) {
      expect(held.contains(entry), "the policy does not know " + text(entry));
      expect(entry.mark != EvictionPolicy.NONE, text(entry) + " has no mark");
    }
    for (Entry entry : held) {
      expect(alive.contains(entry), "the policy holds " + text(entry) + ", which has left");
    }
    Lifetimes times = parts.lifetimes;
    if (index == null || times == null) {
      return;
    }
    Set<Entry> due = Collections.newSetFromMap(new IdentityHashMap<>());
    index.forEach(
        entry -> {
          expect(due.add(entry), text(entry) + " is to expire twice");
          expect(held.contains(entry), "what is to expire has left: " + text(entry));
        });
    for (Entry entry : held) {
      boolean ends = times.removal(entry, now) < Long.MAX_VALUE;
      expect(!ends || due.contains(entry), text(entry) + " would never be swept");
    }
  }

  private Set<Entry> lookAtPolicy(EvictionPolicy policy) {
    List<Entry> queued = new ArrayList<>();
    policy.forEach(queued::add);
    Set<Entry> held = Collections.newSetFromMap(new IdentityHashMap<>());
    long weight = 0;
    for (Entry entry : queued) {
      expect(held.add(entry), "the policy holds " + text(entry) + " twice");
      weight += entry.weight();
    }
    long size = policy.size();
    int has = queued.size();
    expect(size == has, "the policy counts " + size + " entries and has " + has);
    long said = policy.weight();
    expect(said == weight, "the policy says it has " + said + " units and has " + weight);
    expect(!policy.over(), "after a clean-up, something is still to be evicted");
    return held;
  }

  // ---- flights, writes, counters

  private void lookAtFlights() {
    Flights flights = parts.flights;
    for (Entry entry : flights.detached) {
      expect(waits(entry), text(entry) + " left the table and still loads");
    }
    for (Reload reload : flights.reloads.values()) {
      expect(waits(reload), text(reload) + " is still being reloaded");
    }
    expect(parts.writes == null || parts.writes.idle(), "a write has not ended");
    Leader me = Leader.current();
    expect(me.depth == 0, "this thread still counts as running " + me.depth + " loads");
    expect(me.waitingOn == null, "this thread still counts as waiting");
  }

  /** Whether nobody here can go on with a flight: the executor or the storage has it. */
  private boolean waits(Entry entry) {
    return WaitCycle.token(entry, Integer.MAX_VALUE) instanceof Task task
        && task.leader() == null
        && (parts.ownPool == null || !task.queued());
  }

  private void lookAtCounters() {
    Counters counters = parts.counters;
    notNegative("hits", counters.hits.sum());
    notNegative("misses", counters.misses.sum());
    notNegative("successes", counters.loadSuccesses.sum());
    notNegative("failures", counters.loadFailures.sum());
    notNegative("abandoned loads", counters.loadsAbandoned.sum());
    notNegative("load time", counters.loadNanos.sum());
    notNegative("wait time", counters.waitNanos.sum());
    notNegative("evictions", admission.evictions());
    notNegative("evicted weight", admission.evictedWeight());
    expect(
        counters.recording
            || counters.hits.sum()
                    + counters.misses.sum()
                    + counters.loadNanos.sum()
                    + counters.waitNanos.sum()
                == 0,
        "counted without being asked to");
    long loads =
        counters.loadSuccesses.sum() + counters.loadFailures.sum() + counters.loadsAbandoned.sum();
    expect(loads > 0 || counters.loadNanos.sum() == 0, "load time without a load");
  }

  private void notNegative(String what, long count) {
    expect(count >= 0, what + ": " + count);
  }

  private static String text(Entry entry) {
    return "entry "
        + Failure.text(entry.key)
        + " (state "
        + entry.state
        + ", mark "
        + entry.mark
        + ")";
  }
}

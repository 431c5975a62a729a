package io.latchkey.cache.internal;

import io.latchkey.cache.RemovalCause;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Look-ups that are not plain hits: finds or makes the flight of a key and leads or joins it.
 *
 * <p>Every method works on outcomes, see {@link Flights}. Each look-up is counted once, as what it
 * was when it first knew.
 */
final class Reads {
  private final Flights flights;
  private final Launcher launcher;
  private final Joins joins;
  private final Table table;
  private final @Nullable Lifetimes lifetimes;

  Reads(Flights flights, Launcher launcher, Joins joins) {
    this.flights = flights;
    this.launcher = launcher;
    this.joins = joins;
    table = flights.table;
    lifetimes = flights.lifetimes;
  }

  /**
   * What an entry of the table means for a look-up. Not for a switch: that would add a class, which
   * an exhausted stack can make unusable.
   */
  enum Look {
    /** It has an outcome that can be served. */
    HIT,
    /** It is a flight to join. */
    LOADING,
    /** Its time is over. */
    EXPIRED,
    /** It is dead or dying; look again. */
    GONE
  }

  /** Judges an entry; helps away one that is dead. */
  Look look(Entry entry, long now) {
    switch (entry.stateAcquire()) {
      case Entry.LOADING:
        if (entry.stack() == null) {
          entry.awaitSettled();
          return Look.GONE;
        }
        return Look.LOADING;
      case Entry.READY, Entry.FAILED:
        if (entry.outcomePlain() == null) {
          return Look.GONE;
        }
        return lifetimes != null && lifetimes.expired(entry, now) ? Look.EXPIRED : Look.HIT;
      case Entry.ABANDONED:
        flights.rescue(entry);
        return Look.GONE;
      case Entry.DEAD:
        entry.leave(table);
        return Look.GONE;
      default:
        return Look.GONE; // detached; another entry has its place or none
    }
  }

  /** Counts a use of an entry, renews its idleness, and starts a refresh if one is due. */
  @Nullable Object use(Entry entry, long now) {
    Object outcome = entry.outcomePlain();
    if (outcome == null) {
      return null;
    }
    entry.touch();
    Lifetimes times = lifetimes;
    if (times != null) {
      times.used(entry, now);
      if (times.needsRefresh(entry, now)) {
        startRefresh(entry);
      }
    }
    return outcome;
  }

  // ---- get

  /**
   * Loads on this thread if nobody else does.
   *
   * @param found the entry of the key as it was just now, if it had one
   */
  Object get(Object key, int hash, @Nullable Entry found) {
    return get(key, hash, found, false);
  }

  /** The same for a look-up that may have been counted already. */
  Object get(Object key, int hash, @Nullable Entry found, boolean alreadyCounted) {
    if (launcher.always()) {
      return getWithin(key, hash, alreadyCounted, false, 0);
    }
    boolean counted = alreadyCounted;
    Entry next = found;
    for (; ; ) {
      Entry there = next;
      next = null;
      if (there == null) {
        Object led = flights.leadNew(key, hash, !counted);
        if (led != null) {
          return led;
        }
        there = flights.find(key, hash);
        if (there == null) {
          continue;
        }
      }
      long now = flights.now();
      Look look = look(there, now);
      if (look == Look.HIT) {
        Object hit = use(there, now);
        // What was found may have been a flight that has ended meanwhile.
        if (hit != null && flights.suits(there, key, hit) != Joins.RETRY) {
          if (!counted) {
            flights.counters.hit();
          }
          return hit;
        }
      } else if (look != Look.GONE) {
        if (!counted) {
          flights.counters.miss();
          counted = true;
        }
        Object outcome =
            look == Look.LOADING
                ? flights.suits(there, key, joins.join(there, true, false, 0))
                : renew(there, now);
        if (outcome != Joins.RETRY) {
          return outcome;
        }
      }
    }
  }

  /**
   * Gets a new object for an expired entry, or the old one if that fails and it still may serve.
   */
  private Object renew(Entry old, long now) {
    if (!renewsAlone(old, now)) {
      return replace(old, Leader.current(), now);
    }
    Reload reload = flights.reloads.get(old);
    Object outcome;
    if (reload == null) {
      outcome = reload(old, Leader.current());
    } else if (!usable(reload)) {
      return Joins.RETRY;
    } else {
      outcome = joins.join(reload, true, false, 0);
    }
    return outcome instanceof Failure ? staleOr(old, outcome) : outcome;
  }

  /**
   * Whether an expired entry stays until its reload ends: because the old object may serve in place
   * of a failure, or because a reload is under way.
   */
  boolean renewsAlone(Entry old, long now) {
    return flights.reloads.containsKey(old) || stale(old, now);
  }

  /** Puts a flight in the place of an expired entry; false if that has gone. */
  boolean replaceExpired(Entry old, Entry mine, long now) {
    boolean replaced = table.replace(old, mine);
    if (replaced) {
      flights.retire(old, RemovalCause.EXPIRED, now);
    }
    return replaced;
  }

  private Object replace(Entry old, Leader me, long now) {
    Entry mine = flights.flight(old.key, old.hash, me);
    Object outcome = null;
    try {
      outcome = replaceExpired(old, mine, now) ? flights.lead(mine, me) : Joins.RETRY;
      return outcome;
    } finally {
      if (outcome == null) {
        mine.state = Entry.ABANDONED;
      }
    }
  }

  /**
   * A new flight, led by the owner of this stack, that renews an expired entry: one that takes its
   * place, or a reload beside it. Null if there is a reload already, or the entry has gone.
   */
  @Nullable Entry renewal(Entry old, Entry mine, Node stack, long now) {
    if (!renewsAlone(old, now)) {
      return replaceExpired(old, mine, now) ? mine : null;
    }
    Reload reload = new Reload(old, stack);
    return enter(reload) ? reload : null;
  }

  /** Whether a reload can be joined; one that lost its leader is ended. */
  boolean usable(Reload reload) {
    if (reload.stateAcquire() == Entry.ABANDONED) {
      flights.rescue(reload);
      return false;
    }
    return true;
  }

  private Object reload(Entry old, Leader me) {
    Reload mine = new Reload(old, me);
    Object outcome = null;
    try {
      outcome = enter(mine) ? flights.lead(mine, me) : Joins.RETRY;
      return outcome;
    } finally {
      if (outcome == null) {
        mine.state = Entry.ABANDONED;
      }
    }
  }

  /** Makes a reload the one of its entry; false if there is one already or the entry has gone. */
  private boolean enter(Reload reload) {
    if (flights.reloads.putIfAbsent(reload.old, reload) != null) {
      return false;
    }
    byte state = reload.old.stateAcquire();
    if (state != Entry.READY && state != Entry.FAILED) {
      flights.reloads.remove(reload.old, reload);
      return false;
    }
    return true;
  }

  private boolean stale(Entry entry, long now) {
    return lifetimes != null && lifetimes.servesStale() && !lifetimes.over(entry, now);
  }

  /** The outcome of a flight; the object that a reload was to renew if that failed. */
  Object orStale(Entry flight, Object outcome) {
    return outcome instanceof Failure && flight instanceof Reload reload
        ? staleOr(reload.old, outcome)
        : outcome;
  }

  /** The old object in place of a failure, if it still may serve. */
  private Object staleOr(Entry old, Object failure) {
    Object outcome = stale(old, flights.now()) ? old.outcomePlain() : null;
    return outcome == null || outcome instanceof Failure ? failure : outcome;
  }

  // ---- loads that this thread does not run

  /** Waits for a load on the executor; for at most some time if {@code timed}. */
  Object getWithin(Object key, int hash, boolean alreadyCounted, boolean timed, long deadline) {
    boolean counted = alreadyCounted;
    for (; ; ) {
      Waiter.OfThread waiter = Waiter.OfThread.create(false);
      Boarding boarding = board(key, hash, waiter, Task.Purpose.WAIT, counted);
      counted = true;
      Entry flight = boarding.flight;
      if (flight == null) {
        return boarding.outcome;
      }
      Object outcome = joins.waitOnStack(flight, waiter, timed, deadline);
      if (outcome != Joins.RETRY) {
        return orStale(flight, outcome);
      }
    }
  }

  /** A future of the object; no thread waits for it. */
  CompletableFuture<@Nullable Object> getAsync(Object key, int hash) {
    Waiter.OfFuture waiter = new Waiter.OfFuture();
    Boarding boarding = board(key, hash, waiter, Task.Purpose.FUTURE, false);
    if (boarding.flight == null) {
      return completed(boarding.outcome);
    }
    if (boarding.flight instanceof Reload reload && lifetimes != null && lifetimes.servesStale()) {
      CompletableFuture<@Nullable Object> answer =
          waiter.future.handle((value, thrown) -> valueOrStale(reload.old, value, thrown));
      CompletableFuture<?> unused =
          answer.whenComplete((value, thrown) -> waiter.future.cancel(false));
      return answer;
    }
    return waiter.future;
  }

  private @Nullable Object valueOrStale(
      Entry old, @Nullable Object value, @Nullable Throwable thrown) {
    if (!(thrown instanceof RuntimeException failure)) {
      return value;
    }
    Object stale = staleOr(old, Joins.RETRY);
    if (stale == Joins.RETRY) {
      throw failure;
    }
    return stale == Entry.ABSENT ? null : stale;
  }

  static CompletableFuture<@Nullable Object> completed(Object outcome) {
    return outcome instanceof Failure failure
        ? CompletableFuture.failedFuture(failure.exception())
        : CompletableFuture.completedFuture(outcome == Entry.ABSENT ? null : outcome);
  }

  /** Either the flight whose stack the waiter stands on, or an outcome that was there. */
  static final class Boarding {
    final @Nullable Entry flight;
    final Object outcome;

    Boarding(@Nullable Entry flight, Object outcome) {
      this.flight = flight;
      this.outcome = outcome;
    }
  }

  private static Boarding aboard(Entry flight) {
    return new Boarding(flight, Joins.RETRY);
  }

  /** Puts the waiter on the flight of the key, starting one on the executor if there is none. */
  Boarding board(
      Object key, int hash, Waiter waiter, Task.Purpose purpose, boolean alreadyCounted) {
    boolean counted = alreadyCounted;
    for (; ; ) {
      LoadTask task = new LoadTask(launcher, purpose);
      waiter.standOn(task);
      Entry mine = flights.flight(key, hash, waiter);
      task.entry(mine);
      Entry there = insertAndStart(mine, task);
      long now = flights.now();
      Look look = there == mine ? Look.LOADING : look(there, now);
      if (!counted && look != Look.GONE) {
        counted = true;
        if (look == Look.HIT) {
          flights.counters.hit();
        } else {
          flights.counters.miss();
        }
      }
      if (there == mine) {
        return aboard(mine);
      }
      if (look == Look.HIT) {
        Object hit = use(there, now);
        if (hit != null) {
          return new Boarding(null, hit);
        }
      } else if (look == Look.LOADING) {
        if (there.push(waiter)) {
          if (waiter instanceof Waiter.OfFuture) {
            ask(there);
          }
          return aboard(there);
        }
      } else if (look == Look.EXPIRED) {
        Entry renewal = boardRenewal(there, mine, task, waiter, now);
        if (renewal != null) {
          return aboard(renewal);
        }
      }
    }
  }

  private Entry insertAndStart(Entry mine, LoadTask task) {
    boolean done = false;
    try {
      Entry there = flights.enter(mine, false);
      if (there == mine) {
        launcher.start(task);
      }
      done = true;
      return there;
    } finally {
      if (!done) {
        mine.state = Entry.ABANDONED;
      }
    }
  }

  /** Boards the flight that renews an expired entry; null to look again. */
  private @Nullable Entry boardRenewal(
      Entry old, Entry mine, LoadTask task, Waiter waiter, long now) {
    if (renewsAlone(old, now)) {
      return boardReload(old, waiter, task.purpose);
    }
    boolean done = false;
    try {
      boolean replaced = replaceExpired(old, mine, now);
      if (replaced) {
        launcher.start(task);
      }
      done = true;
      return replaced ? mine : null;
    } finally {
      if (!done) {
        mine.state = Entry.ABANDONED;
      }
    }
  }

  // ---- refresh

  /**
   * Puts the waiter on the reload of an entry, starting one if there is none; null to look again.
   */
  private @Nullable Entry boardReload(Entry old, Waiter waiter, Task.Purpose purpose) {
    Reload reload = flights.reloads.get(old);
    if (reload != null) {
      if (!usable(reload)) {
        return null;
      }
      if (!reload.push(waiter)) {
        reload.awaitSettled();
        return null;
      }
      ask(reload);
      return reload;
    }
    LoadTask task = new LoadTask(launcher, purpose);
    waiter.standOn(task);
    Reload mine = new Reload(old, waiter);
    task.entry(mine);
    boolean done = false;
    try {
      boolean entered = enter(mine);
      if (entered) {
        launcher.start(task);
      }
      done = true;
      return entered ? mine : null;
    } finally {
      if (!done) {
        mine.state = Entry.ABANDONED;
      }
    }
  }

  /** Sees to it that a flight that this caller has joined is under way. */
  private void ask(Entry flight) {
    if (WaitCycle.token(flight, Joins.NEAR) instanceof Task task) {
      launcher.ask(task);
    }
  }

  private void nudge(Reload reload) {
    if (WaitCycle.token(reload, Integer.MAX_VALUE) instanceof Task task) {
      launcher.nudge(task);
    }
  }

  /** Starts a reload that nobody waits for, or sees to it that one is under way. */
  private void startRefresh(Entry entry) {
    Reload reload = flights.reloads.get(entry);
    if (reload != null) {
      if (usable(reload)) {
        nudge(reload);
      }
      return;
    }
    LoadTask task = new LoadTask(launcher, Task.Purpose.RENEWAL);
    Reload mine = new Reload(entry, task);
    task.entry(mine);
    if (enter(mine)) {
      launcher.start(task);
    }
  }

  /** Loads the object of a key anew; the old one stays until then. Counts no look-up. */
  CompletableFuture<@Nullable Object> refresh(Object key, int hash) {
    for (; ; ) {
      Waiter.OfFuture waiter = new Waiter.OfFuture();
      Entry old = table.findSurely(key, hash);
      Look look = old == null ? Look.LOADING : look(old, flights.now());
      if (look == Look.LOADING) {
        Boarding boarding = board(key, hash, waiter, Task.Purpose.REFRESH, true);
        if (boarding.flight != null) {
          return waiter.future;
        }
      } else if (look != Look.GONE && old != null) {
        if (boardReload(old, waiter, Task.Purpose.REFRESH) != null) {
          return waiter.future;
        }
      }
    }
  }

  /** Starts a load on the executor unless the key is cached or loading; counts no look-up. */
  void prefetch(Object key, int hash) {
    LoadTask task = new LoadTask(launcher, Task.Purpose.PREFETCH);
    if (prefetch(key, hash, task) != null) {
      launcher.start(task);
    }
  }

  /** The same for a task that is started by the caller; the new flight, or null without one. */
  @Nullable Entry prefetch(Object key, int hash, Task task) {
    for (; ; ) {
      Entry mine = flights.flight(key, hash, task);
      if (task instanceof LoadTask single) {
        single.entry(mine);
      }
      Entry there = null;
      try {
        there = flights.enter(mine, false);
      } finally {
        if (there == null) {
          mine.state = Entry.ABANDONED;
        }
      }
      if (there == mine) {
        return mine;
      }
      long now = flights.now();
      Look look = look(there, now);
      if (look == Look.HIT || look == Look.LOADING) {
        return null;
      }
      if (look == Look.EXPIRED) {
        Entry renewal = renewal(there, mine, task, now);
        if (renewal != null) {
          if (task instanceof LoadTask single) {
            single.entry(renewal);
          }
          return renewal;
        }
        Reload reload = flights.reloads.get(there);
        if (reload != null) {
          if (usable(reload)) {
            nudge(reload);
          }
          return null;
        }
      }
    }
  }
}

package io.latchkey.cache.internal;

import io.latchkey.cache.CacheInterruptedException;
import io.latchkey.cache.RemovalCause;
import io.latchkey.cache.Weigher;
import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.Storage;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs loads and settles flights. The rules of who gets what:
 *
 * <ul>
 *   <li>the outcome goes to all that wait on the entry's stack, by {@link Wake};
 *   <li>it stays in the table only if the entry still is there, decided by the CAS of its state;
 *   <li>a leader that is interrupted hands the flight on to one waiter, or ends it if there is
 *       none;
 *   <li>a put that took the entry out of the table leaves its value on the stack, which replaces a
 *       failure.
 * </ul>
 *
 * No method here holds a lock while the storage, the weigher or the expiry function runs.
 *
 * <p>Results are outcomes: an object, {@link Entry#ABSENT}, a {@link Failure}, or an {@link
 * Interruption}.
 */
class Flights {
  /** Links of a cause chain to look at; a chain may be circular. */
  private static final int MAX_CAUSES = 64;

  final Table table;
  final Admission admission;
  final @Nullable Lifetimes lifetimes;
  final Counters counters;
  final Departures departures;
  final Executor executor;
  final Wake wake;
  final String storageName;
  final String cacheName;
  final ConcurrentHashMap<Entry, Reload> reloads;
  private final EntryKind kind;
  private final Storage<Object, Object> storage;
  private final @Nullable Weigher<Object, Object> weigher;

  /** Flights that left the table, for {@code close}. */
  final Set<Entry> detached = ConcurrentHashMap.newKeySet();

  /** Set while the storage's feed has a gap; what is loaded then is not kept. */
  volatile boolean gap;

  @SuppressWarnings("unchecked")
  Flights(CacheCore<?, ?> core, Settings<?, ?> settings) {
    storage = (Storage<Object, Object>) settings.storage();
    weigher = (Weigher<Object, Object>) settings.weigher();
    cacheName = core.name;
    storageName = core.storageName;
    executor = core.executor;
    table = core.table;
    admission = core.admission;
    lifetimes = core.lifetimes;
    counters = core.counters;
    departures = core.departures;
    reloads = core.reloads;
    wake = new Wake(executor);
    kind = EntryKind.of(settings, lifetimes != null && lifetimes.ownLife());
  }

  long now() {
    Lifetimes times = lifetimes;
    return times == null ? 0 : times.now();
  }

  // ---- what a cache of revisions does in its own way

  /** A flight for a look-up's key; in no table yet. */
  Entry flight(Object key, int hash, Node stack) {
    return kind.flight(key, hash, stack);
  }

  /**
   * Makes a new flight the one that look-ups find, unless there is an entry for them already.
   *
   * @param waits whether the caller can wait on a flight that may not answer it, see {@link #suits}
   * @return the flight, or the entry that was there
   */
  Entry enter(Entry mine, boolean waits) {
    return table.findOrInsert(mine);
  }

  /** What a look-up that may wait finds for its key; null means that there was nothing. */
  @Nullable Entry find(Object key, int hash) {
    return table.findSurely(key, hash);
  }

  /** What a caller that waited for a flight gets of its outcome; perhaps {@link Joins#RETRY}. */
  Object suits(Entry flight, Object key, Object outcome) {
    return outcome;
  }

  /** The user's key of an entry. */
  Object key(Entry entry) {
    return entry.key;
  }

  /** The storage if it completes loads by itself. */
  @Nullable AsyncStorage<Object, Object> async() {
    return storage instanceof AsyncStorage<Object, Object> completing ? completing : null;
  }

  /** Whether it is remembered that there is no object. */
  boolean keepsAbsent() {
    return lifetimes != null && lifetimes.keepsAbsent();
  }

  /**
   * A flight of which this thread has taken the stack ends well.
   *
   * @param keep whether the outcome may stay in the cache
   * @return the outcome, or a failure in its place
   */
  Object arrived(Entry entry, Object outcome, boolean keep) {
    return outcome;
  }

  /** An entry has become READY or FAILED in its place. */
  void kept(Entry entry, long now) {
    admission.changed(entry, now);
  }

  /** A READY entry for a put or a reload; not stamped yet. */
  Entry ready(Object key, int hash, Object outcome) {
    return kind.ready(key, hash, outcome);
  }

  // ---- leading

  /**
   * Leads a new flight for a key on this thread, unless the key has an entry already.
   *
   * @param count whether to count the look-up as a miss
   * @return the outcome, or null if there is an entry to look at
   */
  @Nullable Object leadNew(Object key, int hash, boolean count) {
    Leader me = Leader.current();
    Entry mine = flight(key, hash, me);
    Object outcome = null;
    boolean led = true;
    try {
      led = enter(mine, true) == mine;
      if (led) {
        if (count) {
          counters.miss();
        }
        outcome = lead(mine, me);
      }
      return outcome;
    } finally {
      if (led && outcome == null) {
        mine.state = Entry.ABANDONED;
      }
    }
  }

  /**
   * Loads on this thread, which leads the flight, and settles it. If this throws, the flight is not
   * settled and the caller must abandon the entry.
   */
  Object lead(Entry entry, Leader me) {
    long start = counters.start();
    Object loaded;
    int outer = me.enter(entry.key);
    try {
      loaded = load(entry.key);
    } catch (Throwable thrown) {
      me.loading[outer] = null;
      me.depth = outer;
      if (interruption(thrown)) {
        counters.abandoned(start);
        handOn(entry);
        return new Interruption(thrown);
      }
      counters.failed(start);
      return fail(entry, loadFailure(entry.key, thrown), false);
    }
    me.loading[outer] = null;
    me.depth = outer;
    counters.loaded(start);
    return settle(entry, loaded == null ? Entry.ABSENT : loaded, false);
  }

  /** One storage call, on this thread. */
  @Nullable Object load(Object key) throws Exception {
    return storage.load(key);
  }

  /** One storage call for several keys, on this thread. */
  @Nullable Map<Object, Object> loadAll(Set<Object> keys) throws Exception {
    return storage.loadAll(keys);
  }

  /**
   * Whether what a load threw means that its thread was interrupted. A socket's time-out does not,
   * although its exception is a kind of {@link InterruptedIOException}.
   */
  static boolean interruption(Throwable thrown) {
    if (Thread.currentThread().isInterrupted()) {
      return true;
    }
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
      if (cause instanceof InterruptedException
          || cause instanceof ClosedByInterruptException
          || (cause instanceof InterruptedIOException
              && !(cause instanceof SocketTimeoutException))) {
        return true;
      }
    }
    return false;
  }

  CacheInterruptedException interrupted(Object key, @Nullable Throwable cause) {
    Thread.currentThread().interrupt();
    return new CacheInterruptedException(
        "interrupted while " + Failure.text(key) + " was loaded from " + storageName, cause);
  }

  Failure loadFailure(Object key, Throwable cause) {
    return Failure.load(
        "loading " + Failure.text(key) + " from " + storageName + " failed: " + reason(cause),
        cause);
  }

  static String reason(Throwable cause) {
    try {
      String message = cause.getMessage();
      return message == null ? cause.getClass().getName() : message;
    } catch (Throwable broken) {
      return cause.getClass().getName();
    }
  }

  /** What a caller gets of an outcome: the object, null if there is none, or an exception. */
  @Nullable Object answer(Object key, Object outcome) {
    if (outcome == Entry.ABSENT) {
      return null;
    }
    if (outcome instanceof Interruption interruption) {
      throw interrupted(key, interruption.cause());
    }
    if (outcome instanceof Failure failure) {
      throw failure.exception();
    }
    return outcome;
  }

  // ---- settling

  /**
   * Ends a flight well.
   *
   * @param here whether futures may be completed on this thread
   * @return the outcome for the leader: the object, or a failure of the weigher or the expiry
   */
  Object settle(Entry entry, Object outcome, boolean here) {
    Entry keeper = entry instanceof Reload reload ? ready(reload, outcome) : entry;
    long now = now();
    boolean keep;
    try {
      keep = prepare(keeper, outcome, now);
    } catch (Throwable thrown) {
      return fail(entry, preparationFailure(entry.key, thrown), here);
    }
    return conclude(entry, keeper, outcome, keep && !gap, now, here);
  }

  /**
   * Closes a flight, enters in the books what becomes of it, and gives its waiters the outcome.
   *
   * @param keeper the entry that is to hold the object: the flight itself, or a new one for a
   *     reload
   * @return the outcome: what was loaded, or in place of a failure what was put meanwhile
   */
  private Object conclude(
      Entry entry, Entry keeper, Object loaded, boolean keep, long now, boolean here) {
    Node top = entry.close();
    if (top == null) {
      return loaded; // timed out, or the cache was closed
    }
    Object outcome = loaded;
    boolean woken = false;
    try {
      Object arrived = loaded instanceof Failure ? loaded : arrived(entry, loaded, keep);
      boolean failed = arrived instanceof Failure;
      outcome = failed ? putInstead(top, arrived) : arrived;
      boolean keeps = keep && outcome == loaded;
      boolean kept =
          keeps && keeper == entry && entry.keep(top, outcome, failed ? Entry.FAILED : Entry.READY);
      try {
        if (entry instanceof Reload reload && !failed) {
          install(reload, keeper, keep, outcome, now);
        } else if (kept) {
          kept(entry, now);
        } else {
          end(entry, now); // also if it was kept no longer than it takes to detach it
        }
      } finally {
        wake.start(top, outcome, outcome instanceof Failure, here);
        woken = true;
      }
    } finally {
      // Without calls, as there is no stack left. An abandoned flight has its waiters still.
      if (!woken && entry.state != Entry.ABANDONED && top instanceof Waiter anchor) {
        anchor.outcome = outcome;
        anchor.failed = outcome instanceof Failure;
        anchor.anchor = anchor;
        wake.unfinished = new @Nullable Object[] {anchor, wake.unfinished};
      }
    }
    return outcome;
  }

  /** The value of a put that took the flight out of the table, or the failure if there was none. */
  private static Object putInstead(Node top, Object failure) {
    for (Node node = top; node instanceof Waiter waiter; node = waiter.nextAcquire()) {
      if (waiter instanceof Waiter.PutMark put && put.outcome != null) {
        return put.outcome;
      }
    }
    return failure;
  }

  private Entry ready(Reload reload, Object outcome) {
    return ready(reload.key, reload.hash, outcome);
  }

  /**
   * Weighs an object and gives it its time to live; this runs user code.
   *
   * @return whether the object may stay in the cache
   */
  boolean prepare(Entry entry, Object outcome, long now) {
    boolean keep = outcome != Entry.ABSENT || keepsAbsent();
    int weight = 1;
    if (weigher != null && outcome != Entry.ABSENT) {
      weight = weigher.weigh(key(entry), outcome);
      if (weight < 0) {
        throw new IllegalArgumentException("the weigher returned " + weight);
      }
      entry.weight(weight);
    } else {
      entry.weight(weight);
    }
    if (lifetimes != null && keep) {
      keep = lifetimes.stamp(entry, outcome, false, now);
    }
    return keep && admission.fits(weight);
  }

  Failure preparationFailure(Object key, Throwable cause) {
    return Failure.load(
        "weighing or timing " + Failure.text(key) + " failed: " + reason(cause), cause);
  }

  private void install(Reload reload, Entry fresh, boolean keep, Object outcome, long now) {
    Entry old = reload.old;
    if (keep) {
      if (table.replace(old, fresh)) {
        retire(old, RemovalCause.REPLACED, now);
        admission.changed(fresh, now);
      }
    } else if (table.remove(old)) {
      retire(old, outcome == Entry.ABSENT ? RemovalCause.INVALIDATED : RemovalCause.REPLACED, now);
    }
    end(reload, now);
  }

  /**
   * Ends a flight with a failure.
   *
   * @return the outcome for the leader: the failure, or the value of a put that came meanwhile
   */
  Object fail(Entry entry, Failure failure, boolean here) {
    Lifetimes times = lifetimes;
    long now = now();
    boolean keep =
        times != null
            && times.keepsFailures()
            && !(entry instanceof Reload)
            && !gap
            && times.stamp(entry, failure, true, now)
            && admission.fits(1);
    return conclude(entry, entry, failure, keep, now, here);
  }

  /** Takes a flight whose stack is closed out of everything; its outcome is not kept. */
  void end(Entry entry, long now) {
    if (entry instanceof Reload reload) {
      reloads.remove(reload.old, reload);
      reload.drop();
      Lifetimes times = lifetimes;
      if (times != null && times.over(reload.old, now) && table.remove(reload.old)) {
        retire(reload.old, RemovalCause.EXPIRED, now);
      }
    } else if (entry.drop()) {
      try {
        entry.leave(table);
      } catch (Throwable broken) {
        // The key's equals threw, or the stack is exhausted. Who comes across the dead entry
        // removes
        // it; the outcome is none the worse.
      }
    } else {
      detached.remove(entry);
    }
  }

  /** Ends a flight from outside, whoever leads it: a time-out, or the cache was closed. */
  void cutShort(Entry entry, Failure failure) {
    conclude(entry, entry, failure, false, now(), false);
  }

  /** The object of an entry, or null if it has none. */
  static @Nullable Object servable(Entry entry) {
    Object outcome = entry.stateAcquire() == Entry.READY ? entry.outcomePlain() : null;
    return outcome == Entry.ABSENT ? null : outcome;
  }

  /** Ends an entry that was READY or FAILED and has left the table. */
  void retire(Entry entry, RemovalCause cause, long now) {
    Object outcome = entry.retire();
    if (outcome != null) {
      admission.changed(entry, now);
      departures.left(entry, outcome, cause);
    }
  }

  /**
   * An entry was taken out of the table; a flight goes on for those that wait for it.
   *
   * @param put the value that a put installed instead, for the case that the load fails
   */
  void removed(Entry entry, RemovalCause cause, @Nullable Object put, long now) {
    boolean done = false;
    try {
      while (entry.stateAcquire() == Entry.LOADING) {
        if (put != null) {
          entry.push(new Waiter.PutMark(put));
        }
        detached.add(entry);
        if (entry.detach()) {
          if (entry.stack() == null) {
            detached.remove(entry); // settled before it was added
          }
          done = true;
          return;
        }
        detached.remove(entry);
        entry.awaitSettled();
      }
      if (entry.stateAcquire() == Entry.ABANDONED) {
        rescue(entry);
      } else {
        retire(entry, cause, now);
      }
      done = true;
    } finally {
      if (!done) {
        admission.damaged = true;
      }
    }
  }

  // ---- leaving

  /**
   * The leader leaves without an outcome: one waiter is promoted and loads; callers that cannot
   * load on their own thread get a task. When nobody waits, the stack is closed and the flight
   * over, so that a late caller starts a new one.
   */
  void handOn(Entry entry) {
    long now = now();
    for (; ; ) {
      Node top = entry.stack();
      if (top == null) {
        return;
      }
      boolean others = false;
      for (Node node = top; node instanceof Waiter waiter; node = waiter.nextAcquire()) {
        if (waiter.state() != Waiter.WAITING || waiter.gone()) {
          continue;
        }
        if (!waiter.mayLead()) {
          others = true;
        } else if (waiter.claim(Waiter.PROMOTED)) {
          if (waiter.gone() && waiter.resign()) {
            continue; // deserted meanwhile
          }
          waiter.signal();
          return;
        }
      }
      if (others) {
        LoadTask task = new LoadTask(launcher(), Task.Purpose.WAIT);
        task.entry(entry);
        Waiter.LeaderMark mark = new Waiter.LeaderMark(task);
        if (entry.push(mark)) {
          launcher().watch(task);
          launcher().submit(task);
        }
        return;
      }
      if (entry.close(top)) {
        end(entry, now);
        return;
      }
    }
  }

  /** Whether anyone still waits for the flight. */
  static boolean awaited(Entry entry) {
    for (Node node = entry.stack(); node instanceof Waiter waiter; node = waiter.nextAcquire()) {
      if (waiter.state() == Waiter.WAITING && !waiter.gone()) {
        return true;
      }
    }
    return false;
  }

  /** Ends a flight whose leader ran out of stack or memory. */
  void rescue(Entry entry) {
    long now = now();
    Failure failure = // made first, so that once the stack is taken there is one
        loadFailure(
            entry.key, new StackOverflowError("the loading thread ran out of stack or memory"));
    Node top = entry.rescue(Leader.current());
    if (top == null) {
      return;
    }
    boolean woken = false;
    try {
      if (entry instanceof Reload reload) {
        reloads.remove(reload.old, reload);
      } else {
        entry.leave(table);
        detached.remove(entry);
        admission.changed(entry, now);
      }
      wake.start(top, failure, true, false);
      woken = true;
    } finally {
      if (!woken && top instanceof Waiter anchor) {
        anchor.outcome = failure;
        anchor.failed = true;
        anchor.anchor = anchor;
        wake.unfinished = new @Nullable Object[] {anchor, wake.unfinished};
      }
    }
  }

  /** Ends every flight that is not in the table. */
  void cutShortDetached(Failure failure) {
    for (Entry entry : detached) {
      cutShort(entry, failure);
    }
    for (Reload reload : reloads.values()) {
      cutShort(reload, failure);
    }
  }

  private @Nullable Launcher launcher;

  void launcher(Launcher tasks) {
    launcher = tasks;
  }

  private Launcher launcher() {
    Launcher tasks = launcher;
    if (tasks == null) {
      throw new IllegalStateException("no launcher yet");
    }
    return tasks;
  }
}

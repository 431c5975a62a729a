package io.latchkey.cache.internal;

import io.latchkey.cache.LoaderPool;
import io.latchkey.storage.AsyncStorage;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Starts loads that do not run on the caller's thread, and runs them there. */
final class Launcher {
  /** Delay before a task that no thread took up is submitted once more, doubled each time. */
  private static final long FIRST_RETRY_NANOS = 1_000_000;

  private static final long LAST_RETRY_NANOS = 1_000_000_000;

  /** Submissions of one task that callers who ask for it may cause without any delay. */
  private static final int FREE_SUBMISSIONS = 8;

  private final Flights flights;
  private final @Nullable AsyncStorage<Object, Object> async;
  private final @Nullable Timeouts timeouts;

  /** The executor if it is a pool that can be asked whether it has room. */
  private final @Nullable LoaderPool pool;

  Launcher(Flights flights, @Nullable Timeouts timeouts) {
    this.flights = flights;
    async = flights.async();
    this.timeouts = timeouts;
    pool = flights.executor instanceof LoaderPool own ? own : null;
  }

  /** Whether all loads run on the executor, because nobody may wait longer than the time-out. */
  boolean always() {
    return timeouts != null;
  }

  /** Starts the load of a new flight: asynchronously if the storage can, else on the executor. */
  void start(LoadTask task) {
    Headroom.ensure();
    watch(task);
    if (async == null) {
      submit(task);
    } else if (task.claim()) {
      boolean started = false;
      try {
        startAsync(async, task);
        started = true;
      } finally {
        if (!started && task.state == Task.RUNNING) {
          task.state = Task.QUEUED;
        }
      }
    }
  }

  void watch(Task task) {
    Timeouts limits = timeouts;
    if (limits != null) {
      limits.watch(
          task,
          () -> {
            if (task.timeOut()) {
              flights.counters.loadsAbandoned.increment();
            }
            task.expire();
          });
    }
  }

  /**
   * Gives a task to the executor, unless that has it already and will not forget it. If it refuses,
   * what becomes of the flights of the task depends on its purpose. If it is this thread that
   * cannot go on, the task stays queued for somebody else to take up.
   */
  void submit(Task task) {
    if (pool != null && !task.hold()) {
      return;
    }
    task.submissions++;
    task.submitted = System.nanoTime();
    boolean room = true;
    try {
      Headroom.ensure();
      if (pool == null || mayRunHere(task)) {
        flights.executor.execute(task);
      } else {
        room = pool.offer(task);
      }
    } catch (Throwable refused) {
      task.letGo();
      if (refused instanceof StackOverflowError) {
        throw refused;
      }
      task.refuse(refused, refused instanceof RejectedExecutionException);
      if (refused instanceof VirtualMachineError) {
        throw refused;
      }
    }
    if (!room) {
      task.letGo();
      // Without the trace of a stack: a hit that finds an old object may come here.
      task.refuse(task.purpose.optional() ? null : rejection(), true);
    }
  }

  private RejectedExecutionException rejection() {
    return new RejectedExecutionException(pool + " is full");
  }

  /**
   * Whether a pool that is full and is told to may run the load on this thread: only if that is
   * what the caller asked for, and can be held up.
   */
  private boolean mayRunHere(Task task) {
    return task.purpose == Task.Purpose.FUTURE && task.submissions == 1 && timeouts == null;
  }

  /**
   * Submits a task again that nobody took up: perhaps the executor dropped it. A repeated
   * submission does no harm, since only one thread can claim the task; the growing delay keeps a
   * slow executor from being flooded.
   */
  void nudge(Task task) {
    if (task.queued() && System.nanoTime() - task.submitted >= retryDelay(task.submissions)) {
      submit(task);
    }
  }

  /**
   * The same for a caller that asked for the load and cannot run it: the first ones do not wait for
   * the delay, so that asking again is enough when the executor dropped the task.
   */
  void ask(Task task) {
    if (task.queued() && task.submissions < FREE_SUBMISSIONS) {
      submit(task);
    } else {
      nudge(task);
    }
  }

  private static long retryDelay(int submissions) {
    return Math.min(LAST_RETRY_NANOS, FIRST_RETRY_NANOS << Math.min(submissions - 1, 10));
  }

  // ---- running on the executor

  /** Runs the load of a task that this thread has claimed; true if the load was interrupted. */
  boolean lead(LoadTask task) {
    Entry flight = task.entry();
    if (flight.stack() == null) {
      task.end(); // the flight was cut short before the task ran
      return false;
    }
    Leader me = Leader.current();
    task.leader(me);
    boolean done = false;
    try {
      boolean interrupted = !attempt(task, me);
      done = true;
      return interrupted;
    } finally {
      if (!done) {
        flight.state = Entry.ABANDONED;
      }
      task.leader(null);
    }
  }

  /** Loads and settles; false when the load was interrupted. */
  private boolean attempt(LoadTask task, Leader me) {
    Entry entry = task.entry();
    long start = flights.counters.start();
    Object loaded;
    int outer = me.enter(entry.key);
    try {
      loaded = flights.load(entry.key);
    } catch (Throwable thrown) {
      me.loading[outer] = null;
      me.depth = outer;
      if (Flights.interruption(thrown)) {
        return false;
      }
      if (task.end()) {
        flights.counters.failed(start);
      }
      flights.fail(entry, flights.loadFailure(entry.key, thrown), true);
      return true;
    }
    me.loading[outer] = null;
    me.depth = outer;
    if (task.end()) {
      flights.counters.loaded(start);
    }
    flights.settle(entry, loaded == null ? Entry.ABSENT : loaded, true);
    return true;
  }

  /**
   * An interrupted load is submitted again while anyone waits. This thread's flag is put aside for
   * that, since the executor may run the task right here, and set again afterwards.
   */
  void goOn(LoadTask task) {
    boolean flag = Thread.interrupted();
    try {
      if (!task.requeue()) {
        return; // timed out
      }
      flights.counters.loadsAbandoned.increment();
      if (Flights.awaited(task.entry())) {
        submit(task);
      } else if (task.claim()) {
        task.end();
        flights.handOn(task.entry());
      }
    } finally {
      if (flag) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- asynchronous storages

  private void startAsync(AsyncStorage<Object, Object> storage, LoadTask task) {
    Entry entry = task.entry();
    long start = flights.counters.start();
    Leader me = Leader.current();
    CompletionStage<@Nullable Object> stage;
    task.leader(me);
    int outer = me.enter(entry.key);
    try {
      stage = storage.loadAsync(entry.key);
      if (stage == null) {
        throw new NullPointerException("loadAsync returned null");
      }
    } catch (Throwable thrown) {
      me.loading[outer] = null;
      me.depth = outer;
      task.leader(null);
      failed(task, thrown, start);
      return;
    }
    me.loading[outer] = null;
    me.depth = outer;
    task.leader(null);
    stage.whenComplete(
        (loaded, thrown) -> {
          if (thrown != null) {
            failed(task, unwrap(thrown), start);
            return;
          }
          if (task.end()) {
            flights.counters.loaded(start);
          }
          flights.settle(entry, loaded == null ? Entry.ABSENT : loaded, false);
        });
  }

  private void failed(LoadTask task, Throwable thrown, long start) {
    if (task.end()) {
      flights.counters.failed(start);
    }
    flights.fail(task.entry(), flights.loadFailure(task.entry().key, thrown), false);
  }

  private static Throwable unwrap(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return thrown instanceof CompletionException && cause != null ? cause : thrown;
  }

  // ---- ends from outside

  void refused(LoadTask task, @Nullable Throwable refused, boolean full) {
    Entry entry = task.entry();
    if (full && task.purpose == Task.Purpose.PREFETCH) {
      flights.counters.prefetchesDropped.increment();
    } else if (full && (task.purpose == Task.Purpose.REFRESH || task.purpose.optional())) {
      flights.counters.refreshesPostponed.increment();
    }
    if (task.purpose.optional() || refused == null) {
      flights.handOn(entry); // to a caller that has joined it meanwhile, or to nobody
      return;
    }
    flights.cutShort(
        entry,
        Failure.load(
            "the executor refused to load "
                + Failure.text(entry.key)
                + " from "
                + flights.storageName
                + ": "
                + Flights.reason(refused),
            refused));
  }

  void timedOut(Entry entry) {
    Timeouts limits = timeouts;
    flights.cutShort(
        entry,
        Failure.timeout(
            "loading "
                + Failure.text(entry.key)
                + " from "
                + flights.storageName
                + " took longer than loadTimeout "
                + Duration.ofNanos(limits == null ? 0 : limits.nanos())));
  }
}

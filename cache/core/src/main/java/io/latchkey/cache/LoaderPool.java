package io.latchkey.cache;

import java.lang.System.Logger;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A bounded pool of threads for loads, which block: for {@link CacheBuilder#executor}, and for
 * whatever else has to leave the thread of its caller.
 *
 * <pre>{@code
 * try (LoaderPool pool = LoaderPool.builder().name("names").workers(16).queue(1_000).build();
 *     Cache<Long, String> cache = Cache.over(names).executor(pool).build()) {
 *   cache.prefetch(List.of(1L, 2L, 3L)); // on the pool
 *   CompletableFuture<String> name = cache.getAsync(7L);
 *   name.thenAccept(this::show).join();
 * }
 * }</pre>
 *
 * <p>A task goes to the worker that became idle last, whose thread is the warmest, and handing it
 * over allocates nothing; if no worker is idle, to a new one; if there are as many as may be, into
 * a queue; and if that is full, it is refused. What that means depends on the task. Of a cache's
 *
 * <ul>
 *   <li>prefetch: it is dropped, and counted in {@link CacheStats#droppedPrefetchCount};
 *   <li>refresh: the old object stays, the key can be refreshed as before, and the next look-up
 *       that finds it old tries again; counted in {@link CacheStats#postponedRefreshCount};
 *   <li>{@code getAsync}: its load runs on the caller's thread or its future fails at once, see
 *       {@link LoaderPoolBuilder#whenFull};
 *   <li>look-up with a time-out: it fails at once with a {@link CacheLoadException}, since on its
 *       own thread it could not leave in time;
 *   <li>other look-ups: they load on their own thread anyway.
 * </ul>
 *
 * <p>A worker outlives whatever its tasks throw and whatever they do to its thread: before the next
 * one, the interrupt flag, the name, the priority and the context class loader are as they were. It
 * inherits no thread-locals; those that tasks set themselves, they have to remove themselves (or
 * see {@link LoaderPoolBuilder#tasksPerThread}). Workers are daemon threads.
 *
 * <p>Thread-safe. Tasks are run, handlers told and threads woken with no lock held.
 */
public final class LoaderPool implements Executor, AutoCloseable {
  /** What {@link #execute} does with a task that the pool has no room for. */
  public enum WhenFull {
    /** It throws a {@link RejectedExecutionException} at once: no submitter is ever held up. */
    REJECT,
    /**
     * The submitter runs the task on its own thread before it goes on, and gets what the task
     * throws; so submitters become as slow as the pool. Not for threads that must not block.
     */
    CALLER_RUNS
  }

  /** A task that somebody may wait for, so that it has to know if it will never run. */
  public interface Cancellable extends Runnable {
    /**
     * Called once instead of {@link #run}, by the thread that closes the pool.
     *
     * @param reason to tell those that wait
     */
    void cancelled(RejectedExecutionException reason);
  }

  private static final Logger LOG = System.getLogger("io.latchkey.cache");

  /** Threads that are remembered after they left, before a look which of them are over. */
  private static final int LEAVERS = 16;

  static {
    // A class whose initialization runs out of stack can never be used again.
    try {
      MethodHandles.lookup().ensureInitialized(PoolWorker.class);
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String name;
  private final int maxWorkers;
  private final WhenFull whenFull;
  private final long idleNanos;
  private final long idleLimit;
  private final int tasksPerThread;
  private final Thread.@Nullable UncaughtExceptionHandler onFailure;
  private final @Nullable ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

  /**
   * Guards what follows. A monitor, since waiting for it allocates nothing; nothing is called under
   * it but the stack and the queue. While a worker is idle, the queue is empty: a worker goes on
   * the stack only when it found nothing queued, and a task is queued only when none is on the
   * stack, both under this lock.
   */
  private final Object lock = new Object();

  private final IdleStack idle = new IdleStack();
  private final TaskQueue queue;

  /** Workers whose threads may still run, those that are gone included. */
  private final List<PoolWorker> threads = new ArrayList<>();

  private int pruneAt = LEAVERS;

  /** Workers that are not gone, those whose thread is yet to be started included. */
  private int workers;

  private long hired;
  private long completed;
  private long failed;
  private long refused;
  private long callerRuns;
  private boolean closed;

  /** Set once, by {@link #closeNow}, before it interrupts. */
  private volatile boolean cancelled;

  LoaderPool(LoaderPoolBuilder options) {
    name = options.name();
    maxWorkers = options.workers();
    queue = new TaskQueue(options.queue());
    whenFull = options.whenFull();
    idleNanos = options.idleNanos();
    tasksPerThread = options.tasksPerThread();
    onFailure = options.onFailure();
    // The slack lets one sweep take those that became idle shortly after one another.
    idleLimit = idleNanos > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : idleNanos + idleNanos / 8;
  }

  /**
   * Begins a pool.
   *
   * @return its builder
   */
  public static LoaderPoolBuilder builder() {
    return new LoaderPoolBuilder();
  }

  // ---- submitting

  /**
   * Runs a task on a worker, at once if one is free or can be started; else it waits in the queue,
   * or is dealt with as {@link LoaderPoolBuilder#whenFull} says. Does not wait.
   *
   * @param task the task
   * @throws NullPointerException if it is null
   * @throws RejectedExecutionException if the pool is full and rejects, or is closed
   * @throws OutOfMemoryError if it needs a thread and the system gives it none; the task will not
   *     run
   */
  @Override
  public void execute(Runnable task) {
    if (start(Objects.requireNonNull(task, "task"), false)) {
      return;
    }
    if (whenFull == WhenFull.REJECT) {
      throw new RejectedExecutionException(full());
    }
    synchronized (lock) {
      callerRuns++;
    }
    task.run();
  }

  /**
   * The same for a task that can be done without: it never runs on this thread.
   *
   * @param task the task
   * @return false if the pool is full; the task will then not run
   * @throws NullPointerException if it is null
   * @throws RejectedExecutionException if the pool is closed
   * @throws OutOfMemoryError as {@link #execute}
   */
  public boolean offer(Runnable task) {
    return start(Objects.requireNonNull(task, "task"), false);
  }

  private String full() {
    return "pool "
        + name
        + " is full: all "
        + maxWorkers
        + " workers work, and there is no room in the queue";
  }

  private RejectedExecutionException closedRejection() {
    return new RejectedExecutionException("pool " + name + " is closed");
  }

  /**
   * Gives a task to a worker or to the queue.
   *
   * @param accepted whether the pool took it once already, so that a close does not matter
   * @return false if there is no room
   */
  private boolean start(Runnable task, boolean accepted) {
    PoolWorker worker;
    long number = 0;
    synchronized (lock) {
      if (closed && !accepted) {
        throw closedRejection();
      }
      worker = idle.pop();
      if (worker != null) {
        worker.slot = task;
      } else if (workers < maxWorkers) {
        idle.reserve(workers + 1);
        workers++;
        number = ++hired;
      } else if (queue.add(task)) {
        return true;
      } else {
        refused++;
        return false;
      }
    }
    if (worker != null) {
      worker.wake();
      return true;
    }
    try {
      startThread(task, number);
    } catch (Throwable noThread) {
      synchronized (lock) {
        workers--; // before any call, as this stack may be exhausted
      }
      if (!fallBack(task)) {
        throw noThread;
      }
    }
    return true;
  }

  /** No thread could be started: there may be others. The new worker is not counted any more. */
  private boolean fallBack(Runnable task) {
    List<Runnable> orphans = List.of();
    PoolWorker other;
    boolean taken;
    synchronized (lock) {
      other = idle.pop();
      if (other != null) {
        other.slot = task;
      }
      taken = other != null || (workers > 0 && queue.add(task));
      if (workers == 0) {
        orphans = queue.drain(); // they relied on this worker
        lock.notifyAll();
      }
    }
    if (other != null) {
      other.wake();
    }
    cancel(orphans, new RejectedExecutionException("pool " + name + " can start no thread"));
    return taken;
  }

  private void startThread(Runnable task, long number) {
    PoolWorker worker =
        new PoolWorker(this, "latchkey-" + name + "-" + number, classLoader, tasksPerThread, task);
    synchronized (lock) {
      threads.add(worker);
    }
    boolean started = false;
    try {
      worker.thread.start();
      started = true;
    } finally {
      if (!started) {
        synchronized (lock) {
          worker.gone = true; // a thread that never ran is over for whoever prunes
        }
      }
    }
  }

  // ---- what workers ask for

  /**
   * What a worker that has run a task does next.
   *
   * @return a task; {@link PoolWorker#END} if it stands on the stack now and has to wait for what
   *     comes into its slot; null if it is gone
   */
  @Nullable Runnable next(PoolWorker worker, boolean taskFailed) {
    synchronized (lock) {
      count(taskFailed);
      Runnable task = queue.poll();
      if (task != null) {
        return task;
      }
      if (closed) {
        go(worker);
        return null;
      }
      idle.push(worker, System.nanoTime());
      return PoolWorker.END;
    }
  }

  /** A worker was taken off the stack to end. Null, unless a task has come meanwhile. */
  @Nullable Runnable leave(PoolWorker worker) {
    synchronized (lock) {
      Runnable task = queue.poll();
      if (task == null) {
        go(worker);
      }
      return task;
    }
  }

  /** A worker's thread has run as many tasks as it may; null if another one could be started. */
  @Nullable Runnable replace(PoolWorker worker, boolean taskFailed) {
    Runnable task;
    long number;
    synchronized (lock) {
      count(taskFailed);
      task = queue.poll();
      if (task == null) {
        go(worker);
        return null;
      }
      number = ++hired;
    }
    try {
      startThread(task, number);
    } catch (Throwable noThread) {
      return task; // so this one has to do it after all
    }
    synchronized (lock) {
      worker.gone = true; // and its successor counts in its place
      prune();
    }
    return null;
  }

  /** A worker's thread ends by an error in the pool itself, and has to be made good for. */
  void lost(PoolWorker worker) {
    Runnable task;
    synchronized (lock) {
      if (worker.gone) {
        return;
      }
      task = queue.poll();
      go(worker);
    }
    if (task != null && !start(task, true)) {
      cancel(List.of(task), new RejectedExecutionException(full()));
    }
  }

  private void count(boolean taskFailed) {
    if (taskFailed) {
      failed++;
    } else {
      completed++;
    }
  }

  private void go(PoolWorker worker) {
    worker.gone = true;
    workers--;
    if (workers == 0) {
      lock.notifyAll();
    }
    prune();
  }

  private void prune() {
    if (threads.size() >= pruneAt) {
      threads.removeIf(each -> each.gone && !each.thread.isAlive());
      pruneAt = Math.max(LEAVERS, 2 * threads.size());
    }
  }

  /** Ends the workers that were idle for too long. */
  void sweep() {
    PoolWorker[] expired;
    synchronized (lock) {
      expired = idle.cut(idle.expired(System.nanoTime(), idleNanos));
    }
    end(expired);
  }

  private static void end(PoolWorker[] cut) {
    for (PoolWorker worker : cut) {
      worker.slot = PoolWorker.END;
      worker.wake();
    }
  }

  /** Nanoseconds after which an idle worker sweeps. */
  long idleLimit() {
    return idleLimit;
  }

  boolean cancelled() {
    return cancelled;
  }

  /** A task threw. */
  void failed(Thread thread, Throwable thrown) {
    try {
      if (onFailure != null) {
        onFailure.uncaughtException(thread, thrown);
      } else {
        LOG.log(Logger.Level.WARNING, "a task of pool " + name + " failed", thrown);
      }
    } catch (Throwable dropped) {
      // Nothing that a handler throws may end the worker; the task is counted as failed anyway.
    }
  }

  // ---- closing

  /**
   * Takes no further tasks; those that it took run. Does not wait for them. A repetition is fine.
   */
  public void shutdown() {
    PoolWorker[] all;
    synchronized (lock) {
      closed = true;
      all = idle.cut(idle.size());
    }
    end(all);
  }

  /**
   * Takes no further tasks, and waits until those that it took have run and the threads of the pool
   * have ended. If this thread is interrupted meanwhile, it goes on as after {@link #closeNow}, and
   * sets the flag again in the end.
   *
   * <p>On a thread of the pool itself it does not wait, since it would wait for itself. A second
   * close waits as well.
   */
  @Override
  public void close() {
    shutdown();
    if (onWorker()) {
      return;
    }
    boolean interrupted = false;
    for (boolean ended = false; !ended; ) {
      try {
        awaitEnd();
        ended = true;
      } catch (InterruptedException e) {
        interrupted = true;
        List<Runnable> unused = closeNow();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitEnd() throws InterruptedException {
    List<PoolWorker> leaving;
    synchronized (lock) {
      while (workers > 0) {
        lock.wait();
      }
      leaving = new ArrayList<>(threads);
    }
    for (PoolWorker worker : leaving) {
      worker.thread.join();
    }
  }

  /**
   * Takes no further tasks, and drops those that wait in the queue: they never run, and those that
   * are {@link Cancellable} are told. Interrupts the tasks that run. Does not wait: for their ends
   * {@link #close} can be called afterwards. A repetition interrupts again.
   *
   * @return the tasks that were dropped
   */
  public List<Runnable> closeNow() {
    List<Runnable> dropped;
    List<PoolWorker> running = new ArrayList<>();
    PoolWorker[] all;
    synchronized (lock) {
      closed = true;
      cancelled = true;
      dropped = queue.drain();
      all = idle.cut(idle.size());
      for (PoolWorker worker : threads) {
        if (!worker.gone) {
          running.add(worker);
        }
      }
    }
    end(all);
    for (PoolWorker worker : running) {
      worker.thread.interrupt();
    }
    cancel(dropped, closedRejection());
    return dropped;
  }

  private void cancel(List<Runnable> tasks, RejectedExecutionException reason) {
    for (Runnable task : tasks) {
      if (task instanceof Cancellable told) {
        try {
          told.cancelled(reason);
        } catch (Throwable thrown) {
          failed(Thread.currentThread(), thrown);
        }
      }
    }
  }

  private boolean onWorker() {
    Thread me = Thread.currentThread();
    synchronized (lock) {
      for (PoolWorker worker : threads) {
        if (worker.thread == me) {
          return true;
        }
      }
    }
    return false;
  }

  // ---- looking

  /**
   * What the pool does and has done. Exact when nothing is under way.
   *
   * @return the counts of one moment
   */
  public LoaderPoolStats stats() {
    synchronized (lock) {
      return new LoaderPoolStats(
          workers, idle.size(), queue.size(), completed, failed, refused, callerRuns);
    }
  }

  /** The name and what the pool does just now, for messages. */
  @Override
  public String toString() {
    LoaderPoolStats now = stats();
    return "pool "
        + name
        + " ("
        + (now.workers() - now.idleWorkers())
        + " of at most "
        + maxWorkers
        + " workers work, "
        + now.idleWorkers()
        + " are idle, "
        + now.queuedTasks()
        + " tasks wait)";
  }
}

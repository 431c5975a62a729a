package io.latchkey.cache;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a {@link LoaderPool}: a thread, a slot for its next task, and the latch that it waits
 * at, so that handing it a task allocates nothing.
 *
 * <pre>
 *   WORKING --nothing queued, push on the stack------> IDLE
 *   IDLE    --popped by who has a task, slot = task--> WORKING
 *   IDLE    --cut by a sweep or a close, slot = END--> ENDING
 *   ENDING  --a task is queued-----------------------> WORKING
 *   ENDING, WORKING --nothing queued, pool closed----> GONE     what close waits for
 * </pre>
 *
 * <table>
 *   <caption>fields that threads share</caption>
 *   <tr><th>field</th><th>written by</th><th>order</th></tr>
 *   <tr><td>{@code slot}, a task or END</td><td>the thread that took the worker off the stack, and
 *       nobody else until the worker is on it again</td><td>volatile: what that thread did before is
 *       seen by the task</td></tr>
 *   <tr><td>{@code slot}, back to null</td><td>the worker</td><td>needs none: the pool's lock, under
 *       which the worker goes back on the stack, orders it before the next write</td></tr>
 *   <tr><td>{@code parked}</td><td>the worker</td><td>volatile, see below</td></tr>
 *   <tr><td>{@code idleSince}, {@code gone}</td><td>the pool, under its lock</td><td>the worker reads
 *       its own {@code idleSince} without it, having written it itself in {@code push}</td></tr>
 * </table>
 *
 * No wake-up is lost: who hands over writes {@code slot} and then reads {@code parked}; the worker
 * writes {@code parked} and then reads {@code slot}. As all four are volatile, at least one of the
 * two sees what the other one wrote. So either the worker finds the task and does not park, or it
 * is unparked, before or after it parks. In the first case it may be unparked as well, and its next
 * park returns for no reason, which every user of {@link LockSupport#park} has to expect.
 */
final class PoolWorker implements Runnable {
  /** In the slot: the worker is not needed any more. */
  static final Runnable END = () -> {};

  /**
   * How often the worker gives way to other threads before it parks. Parking and being unparked
   * take some microseconds on both sides; a submitter that waits for this processor goes on
   * meanwhile and often has the next task. With many short tasks this more than halves the time for
   * one, and costs nothing where there is nobody to give way to. Looking at the slot in a loop
   * instead helps nothing, and longer loops harm: they take the processor from those who would fill
   * it.
   */
  private static final int YIELDS = 2;

  final Thread thread;
  private final LoaderPool pool;
  private final String name;
  private final @Nullable ClassLoader classLoader;
  private final int tasksPerThread;
  volatile @Nullable Runnable slot;
  private volatile boolean parked;

  /** {@link System#nanoTime} when it went on the stack. */
  long idleSince;

  /** Counts as a worker no more; its thread ends. */
  boolean gone;

  PoolWorker(
      LoaderPool pool,
      String name,
      @Nullable ClassLoader classLoader,
      int tasksPerThread,
      Runnable first) {
    this.pool = pool;
    this.name = name;
    this.classLoader = classLoader;
    this.tasksPerThread = tasksPerThread;
    slot = first;
    // Without the inheritable thread-locals of whoever happens to need one worker more.
    thread = new Thread(null, this, name, 0, false);
    thread.setDaemon(true);
    thread.setPriority(Thread.NORM_PRIORITY);
    thread.setContextClassLoader(classLoader);
  }

  /** A worker whose slot and latch are used by a thread that there is already. */
  PoolWorker(LoaderPool pool, Thread thread) {
    this.pool = pool;
    this.thread = thread;
    name = thread.getName();
    classLoader = thread.getContextClassLoader();
    tasksPerThread = Integer.MAX_VALUE;
    idleSince = System.nanoTime();
  }

  /**
   * Hands over the task that stands in the slot.
   *
   * @return whether the worker said that it parks, and so was unparked
   */
  boolean wake() {
    boolean parks = parked;
    if (parks) {
      LockSupport.unpark(thread);
    }
    return parks;
  }

  /** The worker says that it parks, and looks at the slot once more. */
  @Nullable Runnable announce() {
    parked = true;
    return slot;
  }

  /** Works until the pool has no more use for this worker. */
  @Override
  public void run() {
    boolean orderly = false;
    try {
      Runnable task = slot;
      slot = null;
      int tasks = 0;
      while (task != null) {
        boolean failed = perform(task);
        boolean last = ++tasks >= tasksPerThread;
        task = last ? pool.replace(this, failed) : pool.next(this, failed);
        if (task == END) {
          task = await();
          if (task == END) {
            task = pool.leave(this);
          }
        }
      }
      orderly = true;
    } finally {
      if (!orderly) {
        pool.lost(this);
      }
    }
  }

  /**
   * Runs a task, and sees to it that the next one finds the thread as this one did, whatever this
   * one threw, and whatever it did to the thread.
   *
   * @return whether it threw
   */
  private boolean perform(Runnable task) {
    boolean failed = false;
    try {
      // An interrupt that came after the task that it was meant for. That of closeNow is meant for
      // this one too: it sets the flag of the pool before it interrupts, so that it either is seen
      // here or interrupts later.
      Thread.interrupted();
      if (pool.cancelled()) {
        thread.interrupt();
      }
      task.run();
    } catch (Throwable thrown) {
      failed = true;
      pool.failed(thread, thrown);
    }
    Thread.interrupted();
    if (!name.equals(thread.getName())) {
      thread.setName(name);
    }
    if (thread.getPriority() != Thread.NORM_PRIORITY) {
      thread.setPriority(Thread.NORM_PRIORITY);
    }
    if (thread.getContextClassLoader() != classLoader) {
      thread.setContextClassLoader(classLoader);
    }
    return failed;
  }

  /**
   * Waits, on the stack, for what comes into the slot. Goals of the loop:
   *
   * <ol>
   *   <li>what is in the slot is taken, however the worker woke;
   *   <li>a wake-up for no reason, or by an interrupt, changes nothing;
   *   <li>a worker that was idle for long enough sweeps, and thereby ends itself and all those that
   *       were idle as long;
   *   <li>should the waker have died of an exhausted stack after it filled the slot, this is
   *       noticed when the idle time is over, at the latest.
   * </ol>
   */
  Runnable await() {
    Runnable task = slot;
    for (int yields = 0; task == null && yields < YIELDS; yields++) {
      Thread.yield();
      task = slot;
    }
    if (task == null) {
      for (task = announce(); task == null; task = slot) {
        long left = pool.idleLimit() - (System.nanoTime() - idleSince);
        if (left > 0) {
          LockSupport.parkNanos(pool, left);
          Thread.interrupted(); // else parking would return at once from now on
        } else {
          pool.sweep();
        }
      }
      parked = false;
    }
    slot = null;
    return task;
  }
}

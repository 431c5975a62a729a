package io.latchkey.cache.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** An executor that holds its tasks until the test runs or drops them, and may refuse them. */
public final class ManualExecutor implements Executor {
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private boolean rejecting;

  @Override
  public synchronized void execute(Runnable task) {
    if (rejecting) {
      throw new RejectedExecutionException("the executor is full");
    }
    tasks.add(task);
  }

  /** From now on refuses every task, or takes them again. */
  public synchronized void reject(boolean reject) {
    rejecting = reject;
  }

  /** How many tasks wait. */
  public synchronized int waiting() {
    return tasks.size();
  }

  /** Forgets the waiting tasks, as a pool that discards does. */
  public synchronized void drop() {
    tasks.clear();
  }

  /** Runs the oldest task in this thread; false if there was none. */
  public boolean runNext() {
    Runnable task = poll();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  /** Waits for a task to arrive, then runs it in this thread. */
  public void awaitAndRunNext() {
    Patience.until("a task arrives at the executor", () -> waiting() > 0);
    runNext();
  }

  /** Runs tasks in this thread until none is left, those included that they add. */
  public void runAll() {
    while (runNext()) {}
  }

  private synchronized @Nullable Runnable poll() {
    return tasks.poll();
  }
}

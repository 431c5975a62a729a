package io.latchkey.bench.pool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that submits tasks, with no more than so many under way; when it has to wait, then until
 * half of them are done. It submits the same object again and again and allocates nothing itself,
 * so that what is allocated is the executor's.
 */
final class Submitter implements Runnable {
  private final Executor executor;
  private final TaskKind kind;
  private final int inFlight;
  private final CountDownLatch gate;
  private final long nanos;
  private final Socket @Nullable [] sockets;
  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong done = new AtomicLong();

  /** The count of done tasks that this thread waits for. */
  private volatile long awaited = -1;

  private final Thread thread = new Thread(this, "submitter");
  private volatile long submitted;
  private volatile long end;

  /**
   * Starts the thread, which waits at the gate.
   *
   * @param nanos how long it is to submit
   * @param sockets to close instead, one by each task
   */
  Submitter(
      Executor executor,
      TaskKind kind,
      int inFlight,
      CountDownLatch gate,
      long nanos,
      Socket @Nullable [] sockets) {
    this.executor = executor;
    this.kind = kind;
    this.inFlight = inFlight;
    this.gate = gate;
    this.nanos = nanos;
    this.sockets = sockets;
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    Runnable task = this::task;
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts it", e);
    }
    long start = System.nanoTime();
    long count = 0;
    while (sockets == null ? System.nanoTime() - start < nanos : count < sockets.length) {
      executor.execute(task);
      count++;
      if (count - done.get() >= inFlight) {
        await(count - inFlight / 2);
      }
    }
    await(count);
    end = System.nanoTime();
    submitted = count;
  }

  private void await(long target) {
    awaited = target;
    while (done.get() < target) {
      LockSupport.park(this);
    }
  }

  private void task() {
    Socket[] closing = sockets;
    if (closing == null) {
      kind.work();
    } else {
      try {
        closing[(int) taken.getAndIncrement()].close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    if (done.incrementAndGet() == awaited) {
      LockSupport.unpark(thread);
    }
  }

  void join() throws InterruptedException {
    thread.join();
  }

  /** How many tasks it submitted, all of which are done. */
  long submitted() {
    return submitted;
  }

  /** When the last one was done, by {@link System#nanoTime}. */
  long end() {
    return end;
  }
}

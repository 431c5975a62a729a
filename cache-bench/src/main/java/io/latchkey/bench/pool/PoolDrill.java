package io.latchkey.bench.pool;

import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;

/** Submits tasks from several threads for a while, and tells what one of them took. */
final class PoolDrill {
  /** Connections that are open at once, both ends in this process. */
  private static final int CONNECTIONS = 480;

  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Executor executor;
  private final TaskKind kind;
  private final int submitters;
  private final int inFlight;
  private long tasks;
  private long nanos;
  private long bytes;

  PoolDrill(Executor executor, TaskKind kind, int submitters, int inFlight) {
    this.executor = executor;
    this.kind = kind;
    this.submitters = submitters;
    this.inFlight = inFlight;
  }

  /** Submits for about this long; with sockets, as often until that much was spent on closing. */
  void run(long forNanos) throws InterruptedException {
    tasks = 0;
    nanos = 0;
    bytes = 0;
    if (kind != TaskKind.CLOSE_SOCKET) {
      once(forNanos, new Socket[submitters][]);
      return;
    }
    int share = CONNECTIONS / submitters;
    long start = System.nanoTime();
    do {
      try (Connections connections = new Connections(share * submitters)) {
        Socket[][] sockets = new Socket[submitters][];
        for (int i = 0; i < submitters; i++) {
          sockets[i] = connections.part(i * share, share);
        }
        once(0, sockets);
      }
    } while (System.nanoTime() - start < forNanos);
  }

  private void once(long forNanos, Socket[][] sockets) throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    List<Submitter> all = new ArrayList<>();
    for (int i = 0; i < submitters; i++) {
      all.add(new Submitter(executor, kind, inFlight, gate, forNanos, sockets[i]));
    }
    all.forEach(Submitter::start);
    long before = allocated();
    long start = System.nanoTime();
    gate.countDown();
    long end = start;
    for (Submitter each : all) {
      each.join();
      tasks += each.submitted();
      end = Math.max(end, each.end());
    }
    nanos += end - start;
    bytes += allocated() - before;
  }

  /** Nanoseconds from the first to the last task, through their number. */
  double nanosPerTask() {
    return (double) nanos / tasks;
  }

  /** Bytes that all threads allocated, through the number of tasks; NaN before JDK 21. */
  double bytesPerTask() {
    return counted() ? (double) bytes / tasks : Double.NaN;
  }

  private static boolean counted() {
    return Runtime.version().feature() >= 21;
  }

  private static long allocated() {
    if (!counted()) {
      return 0;
    }
    try {
      return (long)
          com.sun.management.ThreadMXBean.class
              .getMethod("getTotalThreadAllocatedBytes")
              .invoke(THREADS);
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("this JDK does not count what all threads allocate", e);
    }
  }
}

package io.latchkey.bench.demo;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.peers.CacheUnderTest;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads read through one cache while a writer updates objects through it. Every read is checked:
 * the right object, and no version older than what was acknowledged before the read began.
 */
final class ReadPhase {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long STUCK_SECONDS = 60;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Contender contender;
  private final CacheUnderTest<Long, VersionedObject> cache;
  private final Versions versions;
  private final DemoSettings settings;
  private final CountDownLatch start = new CountDownLatch(1);
  private final CountDownLatch readersDone;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean stopped;

  private ReadPhase(Contender contender, Versions versions, DemoSettings settings) {
    this.contender = contender;
    this.cache = contender.cache();
    this.versions = versions;
    this.settings = settings;
    this.readersDone = new CountDownLatch(settings.threads());
  }

  /** Runs a phase of at most so long, less if its reads end before; tells the time as it passes. */
  static PhaseResult run(
      Contender contender,
      Workload workload,
      int round,
      Versions versions,
      DemoSettings settings,
      long nanos,
      LongConsumer elapsedNanos) {
    if (workload.finite()) {
      contender.startEmpty();
    }
    contender.beginPhase(versions);
    PhaseResult result =
        new ReadPhase(contender, versions, settings).run(workload, round, nanos, elapsedNanos);
    contender.endPhase(versions);
    return result;
  }

  private PhaseResult run(Workload workload, int round, long nanos, LongConsumer elapsedNanos) {
    Workload.Pass pass = workload.pass(round);
    List<Reader> readers = new ArrayList<>();
    for (int thread = 0; thread < settings.threads(); thread++) {
      Reader reader = new Reader(pass.reader(thread));
      readers.add(reader);
      daemon(reader, "demo reader " + thread).start();
    }
    Thread writer = daemon(new Writer(workload.updates(round)), "demo writer");
    if (settings.writesPerSecond() > 0) {
      writer.start();
    }
    long loadsBefore = contender.storage().loads();
    int writesBefore = versions.writes();
    long startNanos = System.nanoTime();
    start.countDown();
    await(startNanos, nanos, elapsedNanos, writer);

    long reads = 0;
    long stale = 0;
    long cpuNanos = 0;
    long endNanos = startNanos + 1;
    for (Reader reader : readers) {
      reads += reader.reads;
      stale += reader.stale;
      cpuNanos += reader.cpuNanos;
      endNanos = Math.max(endNanos, reader.endNanos);
    }
    return new PhaseResult(
        reads,
        endNanos - startNanos,
        cpuNanos,
        contender.storage().loads() - loadsBefore,
        versions.writes() - writesBefore,
        stale);
  }

  private void await(long startNanos, long nanos, LongConsumer elapsedNanos, Thread writer) {
    String title = contender.implementation().title();
    try {
      long elapsed = 0;
      while (elapsed < nanos
          && failure.get() == null
          && !readersDone.await(Math.min(TICK_NANOS, nanos - elapsed), TimeUnit.NANOSECONDS)) {
        elapsed = System.nanoTime() - startNanos;
        elapsedNanos.accept(Math.min(elapsed, nanos));
      }
      stopped = true;
      boolean ended = readersDone.await(STUCK_SECONDS, TimeUnit.SECONDS);
      writer.join(TimeUnit.SECONDS.toMillis(STUCK_SECONDS));
      if (!ended || writer.isAlive()) {
        throw new FailedRunException(
            title + ": threads are still busy " + STUCK_SECONDS + " s after they were to end");
      }
    } catch (InterruptedException e) {
      stopped = true;
      Thread.currentThread().interrupt();
      throw new FailedRunException("reading through " + title, e);
    }
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new FailedRunException("reading through " + title, thrown);
    }
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Its figures are read after it has counted down {@link #readersDone}. */
  private final class Reader implements Runnable {
    private final Workload.Reads objects;
    long reads;
    long stale;
    long cpuNanos;
    long endNanos;

    Reader(Workload.Reads objects) {
      this.objects = objects;
    }

    @Override
    public void run() {
      try {
        start.await();
        read();
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      } finally {
        endNanos = System.nanoTime();
        cpuNanos = THREADS.getCurrentThreadCpuTime();
        readersDone.countDown();
      }
    }

    /** Counts in local variables, lest readers share cache lines. */
    private void read() {
      long reads = 0;
      long stale = 0;
      int object = objects.next();
      while (object != Workload.Reads.END && !stopped) {
        long acknowledged = versions.acknowledged(object);
        VersionedObject got = cache.get((long) object);
        if (got == null || got.id() != object) {
          throw new FailedRunException(
              "object " + object + (got == null ? " is missing" : " came as object " + got.id()));
        }
        if (got.version() < acknowledged) {
          stale++;
        }
        reads++;
        object = objects.next();
      }
      this.reads = reads;
      this.stale = stale;
    }
  }

  private final class Writer implements Runnable {
    private final Workload.Reads objects;

    Writer(Workload.Reads objects) {
      this.objects = objects;
    }

    @Override
    public void run() {
      try {
        start.await();
        write();
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      }
    }

    private void write() throws InterruptedException {
      long interval = TimeUnit.SECONDS.toNanos(1) / settings.writesPerSecond();
      long due = System.nanoTime();
      while (!readersDone.await(due - System.nanoTime(), TimeUnit.NANOSECONDS) && !stopped) {
        int object = objects.next();
        long version = versions.begin(object);
        cache.put((long) object, VersionedObject.of(object, version, settings.bytes()));
        versions.acknowledge(object);
        // A store that is slower than the rate is written without a pause, not in a burst later.
        due = Math.max(due + interval, System.nanoTime());
      }
    }
  }
}

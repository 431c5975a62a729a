package io.latchkey.storage.jdbc;

import io.latchkey.cache.CacheException;
import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.CacheTimeoutException;
import io.latchkey.storage.StorageException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Counts calls of caches, and sees that each ends in time, well or with a clear error. */
final class CoherenceCalls {
  /** More than any time-out, and as much again for a machine that has other work. */
  private static final Duration HANGS = Duration.ofSeconds(20);

  private final Consumer<String> report;
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong longest = new AtomicLong();
  private final Map<String, AtomicLong> errors = new ConcurrentHashMap<>();

  CoherenceCalls(Consumer<String> report) {
    this.report = report;
  }

  /** Work that may be interrupted. */
  interface Work {
    void run() throws InterruptedException;
  }

  void time(Runnable call) {
    long start = System.nanoTime();
    try {
      call.run();
    } catch (CacheException e) {
      failed(e);
    } catch (RuntimeException e) {
      report.accept("VIOLATION a call ended with " + e);
    }
    long nanos = System.nanoTime() - start;
    done.incrementAndGet();
    longest.accumulateAndGet(nanos, Math::max);
    if (nanos > HANGS.toNanos()) {
      report.accept("VIOLATION a call took " + Duration.ofNanos(nanos));
    }
  }

  /** An error that callers may see while the server has trouble; anything else is reported. */
  void failed(CacheException e) {
    String kind = e.getClass().getSimpleName();
    boolean clear = e instanceof CacheTimeoutException;
    if (e instanceof CacheLoadException && e.getCause() instanceof StorageException cause) {
      kind += " of a StorageException";
      clear = cause.retryable();
    }
    String message = String.valueOf(e.getMessage());
    if (!clear || message.contains("\n") || message.contains("null")) {
      report.accept("VIOLATION an unclear error: " + e + ", " + e.getCause());
    }
    AtomicLong count = errors.computeIfAbsent(kind, any -> new AtomicLong());
    if (count.incrementAndGet() == 1) {
      report.accept("first " + kind + ": " + message);
    }
  }

  @Override
  public String toString() {
    return done
        + " calls, longest "
        + longest.get() / 1_000_000
        + " ms, errors "
        + new TreeMap<>(errors);
  }
}

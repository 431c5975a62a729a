package io.latchkey.storage.testkit;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Counts calls while a storage has trouble, and sees that each ends in time, well or with a clear
 * error: one that the test expects, with a message of one line without a {@code null} in it. What
 * is not so is reported as a line that begins with {@code VIOLATION}, see {@link ObservedChild};
 * the first error of a kind as {@code first KIND=MESSAGE}. Thread-safe.
 */
public final class CallLog {
  private final Duration hangs;
  private final Predicate<RuntimeException> expected;
  private final Consumer<String> report;
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong longest = new AtomicLong();
  private final Map<String, AtomicLong> errors = new ConcurrentHashMap<>();

  /**
   * A log without calls.
   *
   * @param hangs how long a call may take: more than any time-out, and some for a slow machine
   * @param expected which errors callers may get
   * @param report takes lines
   */
  public CallLog(Duration hangs, Predicate<RuntimeException> expected, Consumer<String> report) {
    this.hangs = Objects.requireNonNull(hangs, "hangs");
    this.expected = Objects.requireNonNull(expected, "expected");
    this.report = Objects.requireNonNull(report, "report");
  }

  /**
   * Makes a call and notes how it ended.
   *
   * @param call the call; what it throws is noted
   */
  public void time(Runnable call) {
    long start = System.nanoTime();
    try {
      call.run();
    } catch (RuntimeException e) {
      failed(e);
    }
    long nanos = System.nanoTime() - start;
    calls.incrementAndGet();
    longest.accumulateAndGet(nanos, Math::max);
    if (nanos > hangs.toNanos()) {
      report.accept("VIOLATION a call took " + Duration.ofNanos(nanos));
    }
  }

  /**
   * Notes how a call ended that somebody else made.
   *
   * @param e what it threw
   */
  public void failed(RuntimeException e) {
    @Nullable Throwable cause = e.getCause();
    String kind = e.getClass().getSimpleName();
    if (cause != null) {
      kind += " of a " + cause.getClass().getSimpleName();
    }
    String message = String.valueOf(e.getMessage());
    if (!expected.test(e) || message.contains("\n") || message.contains("null")) {
      report.accept("VIOLATION an unclear error: " + e + ", " + cause);
    }
    if (errors.computeIfAbsent(kind, any -> new AtomicLong()).incrementAndGet() == 1) {
      report.accept("first " + kind + "=" + message);
    }
  }

  /** How many calls there were, the longest one, and how many errors of each kind. */
  @Override
  public String toString() {
    return calls
        + " calls, longest "
        + longest.get() / 1_000_000
        + " ms, errors "
        + new TreeMap<>(errors);
  }
}

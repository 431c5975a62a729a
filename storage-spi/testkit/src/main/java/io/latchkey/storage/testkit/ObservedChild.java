package io.latchkey.storage.testkit;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ChildJvm} whose lines are heard by a thread, so that a test can wait for what the child
 * says while it does other things. The child prints lines of three kinds:
 *
 * <ul>
 *   <li>{@code VIOLATION TEXT}: it saw what must not be; {@link #await} and {@link #finish} fail;
 *   <li>{@code NAME=VALUE}, where the name has no {@code =}: {@link #value} gives the last one;
 *   <li>any other: {@link #heard} tells how often it came.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class ObservedChild implements AutoCloseable {
  private static final String VIOLATION = "VIOLATION";

  /** How much of a value a report has, in characters. */
  private static final int SHOWN = 200;

  private final ChildJvm jvm;
  private final Duration bound;
  private final Thread listener = new Thread(this::listen, "child-output");

  /** The monitor guards these. */
  private final Map<String, Integer> heard = new HashMap<>();

  private final Map<String, String> values = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();
  private boolean ended;

  private ObservedChild(ChildJvm jvm, Duration bound) {
    this.jvm = jvm;
    this.bound = bound;
  }

  /**
   * Starts the process and listens to it.
   *
   * @param bound how long {@link #await} waits at most
   * @param main a class with a public {@code main}
   * @param arguments what main is given
   * @return the process, to be closed
   * @throws IOException if it cannot be started
   */
  public static ObservedChild start(Duration bound, Class<?> main, String... arguments)
      throws IOException {
    ObservedChild child = new ObservedChild(ChildJvm.start(main, arguments), bound);
    child.listener.setDaemon(true);
    child.listener.start();
    return child;
  }

  private void listen() {
    try {
      for (String line = jvm.line(); line != null; line = jvm.line()) {
        hear(line);
      }
    } catch (IOException e) {
      hear(VIOLATION + " its output cannot be read: " + e);
    }
    synchronized (this) {
      ended = true;
      notifyAll();
    }
  }

  private synchronized void hear(String line) {
    int equals = line.indexOf('=');
    if (line.startsWith(VIOLATION)) {
      violations.add(line);
    } else if (equals >= 0) {
      values.put(line.substring(0, equals), line.substring(equals + 1));
    } else {
      heard.merge(line, 1, Integer::sum);
    }
    notifyAll();
  }

  /**
   * Gives the child a line to read.
   *
   * @param line the line, without its end
   * @throws IOException if the child has ended
   */
  public void tell(String line) throws IOException {
    jvm.tell(line);
  }

  /**
   * Sends the child a signal.
   *
   * @param name {@code STOP}, {@code CONT}, {@code TERM} and others
   * @throws IOException if there is no command {@code kill} here
   * @throws InterruptedException if the thread was interrupted
   */
  public void signal(String name) throws IOException, InterruptedException {
    jvm.signal(name);
  }

  /**
   * Kills the child as {@code kill -9} does, and waits for its end.
   *
   * @throws InterruptedException if the thread was interrupted
   */
  public void kill() throws InterruptedException {
    jvm.kill();
  }

  /**
   * How often the child has printed a line so far.
   *
   * @param line the whole line
   * @return 0 if it has not
   */
  public synchronized int heard(String line) {
    return heard.getOrDefault(line, 0);
  }

  /**
   * The last value that the child has printed under a name.
   *
   * @param name what stands before {@code =}
   * @return the value; null if there is none so far
   */
  public synchronized @Nullable String value(String name) {
    return values.get(name);
  }

  /**
   * The same for a value that is a whole number.
   *
   * @param name what stands before {@code =}
   * @return the number; 0 if there is none so far
   * @throws NumberFormatException if the value is none
   */
  public long number(String name) {
    String value = value(name);
    return value == null ? 0 : Long.parseLong(value);
  }

  /**
   * All that the child has said so far, for a report.
   *
   * @return values and counts of lines, in one line
   */
  public synchronized String said() {
    Map<String, String> shown = new TreeMap<>(values);
    shown.replaceAll(
        (name, value) -> value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "…");
    return shown + ", " + new TreeMap<>(heard);
  }

  /**
   * Waits until the child has said something.
   *
   * @param what for the message
   * @param condition of what was heard; looked at after each line, under the monitor of this object
   * @throws AssertionError if the child reports a violation or ends, or the bound is over
   * @throws InterruptedException if the thread was interrupted
   */
  public synchronized void await(String what, BooleanSupplier condition)
      throws InterruptedException {
    long end = System.nanoTime() + bound.toNanos();
    while (!condition.getAsBoolean()) {
      checkViolations();
      if (ended) {
        throw new AssertionError("the child has ended before " + what + "; it said " + said());
      }
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new AssertionError("not within " + bound + ": " + what + "; it said " + said());
      }
      wait(left);
    }
    checkViolations();
  }

  private void checkViolations() {
    if (!violations.isEmpty()) {
      throw new AssertionError(violations);
    }
  }

  /**
   * Closes the child's input, and waits for its end.
   *
   * @throws Exception if its input cannot be closed, or the thread was interrupted
   * @throws AssertionError if it has reported a violation, or does not end well
   */
  public void finish() throws Exception {
    int status = jvm.finish();
    listener.join(TimeUnit.SECONDS.toMillis(30));
    synchronized (this) {
      checkViolations();
      if (status != 0 || !ended) {
        throw new AssertionError("the child ended with status " + status + "; it said " + said());
      }
    }
  }

  /** Kills it if it has not ended. */
  @Override
  public void close() {
    jvm.close();
  }
}

package io.latchkey.storage.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Lets things happen to a server in turn, and waits after each until all is well again; prints how
 * long that took. Each happens once, or for as many seconds as the system property {@code
 * latchkey.soak} says, all in turn. Used by one thread.
 */
public final class Troubles {
  private final String test;
  private final Step settled;
  private final List<Trouble> troubles = new ArrayList<>();

  private record Trouble(String name, boolean once, Step step) {}

  /** Something that a test does or waits for. */
  @FunctionalInterface
  public interface Step {
    /**
     * Does it, or returns when it is so.
     *
     * @throws Exception if it fails
     */
    void run() throws Exception;
  }

  /**
   * Without troubles so far.
   *
   * @param test stands before what is printed
   * @param settled returns when all is well
   */
  public Troubles(String test, Step settled) {
    this.test = Objects.requireNonNull(test, "test");
    this.settled = Objects.requireNonNull(settled, "settled");
  }

  /**
   * Adds a trouble that comes in each round.
   *
   * @param name for people
   * @param step makes it happen and ends it
   * @return this
   */
  public Troubles then(String name, Step step) {
    troubles.add(new Trouble(name, false, step));
    return this;
  }

  /**
   * Adds something that comes in the first round only.
   *
   * @param name for people
   * @param step makes it happen
   * @return this
   */
  public Troubles once(String name, Step step) {
    troubles.add(new Trouble(name, true, step));
    return this;
  }

  /**
   * Runs all rounds.
   *
   * @throws Exception what a step threw
   */
  public void run() throws Exception {
    Duration soak = Duration.ofSeconds(Long.getLong("latchkey.soak", 0));
    long start = System.nanoTime();
    boolean first = true;
    while (first || System.nanoTime() - start < soak.toNanos()) {
      for (Trouble trouble : troubles) {
        if (first || !trouble.once) {
          settled.run();
          long begun = System.nanoTime();
          trouble.step.run();
          settled.run();
          System.out.printf(
              "%s: %s: all well after %d ms%n",
              test, trouble.name, (System.nanoTime() - begun) / 1_000_000);
        }
      }
      first = false;
    }
  }
}

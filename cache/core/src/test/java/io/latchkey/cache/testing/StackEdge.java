package io.latchkey.cache.testing;

/** Runs an action where the stack ends. */
public final class StackEdge {
  private static final int STACK_BYTES = 192 << 10;

  /** Levels on which the action has to succeed before it is believed to have room. */
  private static final int ENOUGH = 12;

  private final Runnable action;
  private int attempts;
  private int successes;

  private StackEdge(Runnable action) {
    this.action = action;
  }

  /**
   * Goes down until the stack is exhausted and runs the action on each level on the way up until it
   * has room, so that the overflow meets every call inside of it.
   *
   * @return on how many levels the action was tried
   */
  public static int explore(Runnable action) {
    StackEdge edge = new StackEdge(action);
    Callers shallow =
        new Callers(
            task -> {
              Thread thread = new Thread(null, task, "shallow", STACK_BYTES);
              thread.setDaemon(true);
              return thread;
            });
    shallow.run(edge::down).value();
    return edge.attempts;
  }

  @SuppressWarnings("InfiniteRecursion")
  private void down() {
    try {
      down();
    } catch (StackOverflowError bottom) {
      // The way up begins.
    }
    if (successes < ENOUGH) {
      attempt();
    }
  }

  private void attempt() {
    try {
      attempts++;
      action.run();
      successes++;
    } catch (StackOverflowError exhausted) {
      successes = 0;
    }
  }
}

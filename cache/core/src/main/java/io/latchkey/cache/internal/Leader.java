package io.latchkey.cache.internal;

import org.jspecify.annotations.Nullable;

/**
 * A thread in its role as runner of loads; one for each thread that ever led one, so that a miss
 * allocates no token.
 *
 * <p>{@code depth} is the number of loads that this thread is inside of; only the thread itself
 * touches it. {@code waitingOn} is volatile: it is written before the thread looks for a cycle, so
 * that of the threads that close a cycle the last one sees all edges (see {@link WaitCycle}).
 */
final class Leader extends Token {
  private static final ThreadLocal<Leader> LEADERS = ThreadLocal.withInitial(Leader::new);

  final Thread thread = Thread.currentThread();
  int depth;

  /** What this thread waits for from inside a load; null when it waits for nothing. */
  volatile Entry @Nullable [] waitingOn;

  private Leader() {}

  static Leader current() {
    return LEADERS.get();
  }

  @Override
  Leader leader() {
    return this;
  }
}

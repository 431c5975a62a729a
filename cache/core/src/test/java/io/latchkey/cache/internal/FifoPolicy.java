package io.latchkey.cache.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** First in, first out; may be told to break down once. */
final class FifoPolicy implements EvictionPolicy {
  private final Deque<Entry> queue = new ArrayDeque<>();
  private long maximum;
  private long weight;
  private @Nullable Throwable breakdown;

  FifoPolicy(long maximum) {
    this.maximum = maximum;
  }

  /** The next admission throws this half-way. */
  void breakDown(Throwable by) {
    breakdown = by;
  }

  @Override
  public void admit(Entry entry) {
    entry.mark = 1;
    Throwable by = breakdown;
    if (by != null) {
      breakdown = null;
      io.latchkey.cache.testing.Sneaky.raise(by);
    }
    queue.add(entry);
    weight += entry.weight();
  }

  @Override
  public void remove(Entry entry) {
    entry.mark = NONE;
    if (!queue.remove(entry)) {
      throw new AssertionError(entry.key + " is not in the queue");
    }
    weight -= entry.weight();
  }

  @Override
  public @Nullable Entry victim() {
    if (!over()) {
      return null;
    }
    Entry victim = queue.remove();
    victim.mark = NONE;
    weight -= victim.weight();
    return victim;
  }

  @Override
  public boolean over() {
    return weight > maximum;
  }

  @Override
  public void resize(long bound) {
    maximum = bound;
  }

  @Override
  public long size() {
    return queue.size();
  }

  @Override
  public long weight() {
    return weight;
  }

  @Override
  public void forEach(Consumer<Entry> visitor) {
    queue.forEach(visitor);
  }
}

package io.latchkey.cache.internal;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** First in, first out. */
final class FifoPolicy implements EvictionPolicy {
  private static final short QUEUED = 1;

  private final EntryRing queue = new EntryRing(entry -> entry.mark == QUEUED);
  private long maximum;
  private long weight;

  FifoPolicy(long maximum) {
    this.maximum = maximum;
  }

  @Override
  public void admit(Entry entry) {
    entry.mark = QUEUED;
    queue.addLast(entry);
    weight += entry.weight();
  }

  @Override
  public void remove(Entry entry) {
    entry.mark = NONE;
    weight -= entry.weight();
    queue.buried();
  }

  @Override
  public @Nullable Entry victim() {
    Entry victim = over() ? queue.pollFirst() : null;
    if (victim != null) {
      victim.mark = NONE;
      weight -= victim.weight();
    }
    return victim;
  }

  @Override
  public boolean over() {
    return weight > maximum;
  }

  @Override
  public void resize(long maximum) {
    this.maximum = maximum;
  }

  @Override
  public long size() {
    return queue.live();
  }

  @Override
  public long weight() {
    return weight;
  }

  @Override
  public void coldestFirst(Predicate<Entry> visitor) {
    queue.forEach(false, visitor);
  }

  @Override
  public void hottestFirst(Predicate<Entry> visitor) {
    queue.forEach(true, visitor);
  }
}

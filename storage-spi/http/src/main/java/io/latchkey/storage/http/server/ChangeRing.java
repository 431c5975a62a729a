package io.latchkey.storage.http.server;

import io.latchkey.storage.http.FeedPosition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The recent events of the feed, for clients that read them at their own pace and for those that
 * come back. Bounded by the number of keys; who falls behind is told that events are lost.
 *
 * <p>Each event has an index, counted from the first one ever. Events that a write of the server
 * itself causes are held until that write has reached the cache: readers see only what is before
 * the first held one. The lock is held for a few steps, and never while anything else is called.
 *
 * <p>Resuming is possible within the last stretch that has no holes, the segment: its events have
 * sequences without gaps, so that a sequence is also an index.
 */
final class ChangeRing {
  private final int limit;
  private final Runnable wake;

  private final ReentrantLock lock = new ReentrantLock();

  // All below under the lock.
  /** The events by their index, modulo the length, which is a power of two. */
  private @Nullable FeedEvent[] slots = new FeedEvent[64];

  private int weight;

  /** The index of the oldest event that is kept, and that of the next one to come. */
  private long first;

  private long last;

  private final TreeSet<Long> held = new TreeSet<>();

  /** Whether the feed is complete now; if not, why. */
  private boolean whole;

  private String lostReason = "the feed has not begun";
  private long epoch;

  /** The index of the segment's first event, and the sequence before that. */
  private long segmentIndex;

  private long segmentSequence;

  /** The indexes that the current write of this thread holds; null outside of writes. */
  @SuppressWarnings("ThreadLocalUsage") // what one ring holds is nothing to another
  private final ThreadLocal<@Nullable List<Long>> holding = new ThreadLocal<>();

  /** Where a reader begins: what it is told first, and the index of the next event. */
  record Start(List<FeedEvent> events, long next) {}

  /**
   * Makes a ring.
   *
   * @param limit how many keys to keep
   * @param wake is called after there is something new to read, by the thread that caused it
   */
  ChangeRing(int limit, Runnable wake) {
    this.limit = limit;
    this.wake = wake;
  }

  void changed(long newEpoch, long sequence, Collection<ObjectKey> keys) {
    FeedPosition position = position(newEpoch, sequence);
    add(
        position,
        keys.size() > limit ? FeedEvent.all(position) : FeedEvent.changed(position, keys));
  }

  void changedAll(long newEpoch, long sequence) {
    FeedPosition position = position(newEpoch, sequence);
    add(position, FeedEvent.all(position));
  }

  void lost(String reason) {
    FeedEvent event = FeedEvent.lost(reason);
    lock.lock();
    try {
      whole = false;
      lostReason = reason;
      append(event);
    } finally {
      lock.unlock();
    }
    wake.run();
  }

  void whole(long newEpoch, long sequence) {
    FeedPosition position = position(newEpoch, sequence);
    FeedEvent event = FeedEvent.whole(position);
    lock.lock();
    try {
      append(event);
      whole = true;
      epoch = position.epoch();
      segmentIndex = last;
      segmentSequence = sequence;
    } finally {
      lock.unlock();
    }
    wake.run();
  }

  private void add(FeedPosition position, FeedEvent event) {
    lock.lock();
    try {
      if (!whole) {
        // A storage that tells events in a gap vouches for nothing; the whole that follows does.
        append(event);
      } else if (position.epoch() == epoch && position.sequence() == nextSequence()) {
        append(event);
      } else {
        whole = false;
        lostReason = "the storage left events out";
        append(FeedEvent.lost(lostReason));
        append(event);
      }
    } finally {
      lock.unlock();
    }
    wake.run();
  }

  private long nextSequence() {
    return segmentSequence + (last - segmentIndex) + 1;
  }

  private void append(FeedEvent event) {
    assert lock.isHeldByCurrentThread();
    List<Long> mine = holding.get();
    if (mine != null) {
      mine.add(last);
      held.add(last);
    }
    if (last - first == slots.length) {
      grow();
    }
    slots[slot(last)] = event;
    last++;
    weight += event.weight;
    while (weight > limit && last - first > 1) {
      weight -= at(first).weight;
      slots[slot(first)] = null;
      first++;
    }
    if (first > segmentIndex) {
      segmentSequence += first - segmentIndex;
      segmentIndex = first;
    }
  }

  private void grow() {
    @Nullable FeedEvent[] larger = new FeedEvent[slots.length * 2];
    for (long index = first; index < last; index++) {
      larger[(int) (index & (larger.length - 1))] = at(index);
    }
    slots = larger;
  }

  private int slot(long index) {
    return (int) (index & (slots.length - 1));
  }

  private FeedEvent at(long index) {
    return Objects.requireNonNull(slots[slot(index)]);
  }

  /** Epochs are written without a sign. */
  private static FeedPosition position(long epoch, long sequence) {
    return new FeedPosition(epoch & Long.MAX_VALUE, sequence);
  }

  /** Holds back the events that this thread causes from here on, until {@link #release}. */
  void hold() {
    holding.set(new ArrayList<>());
  }

  /** Lets readers see what this thread held back. */
  void release() {
    List<Long> mine = holding.get();
    holding.remove();
    if (mine == null || mine.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      mine.forEach(held::remove);
    } finally {
      lock.unlock();
    }
    wake.run();
  }

  /** The index up to which readers may read, exclusive. */
  private long end() {
    assert lock.isHeldByCurrentThread();
    return held.isEmpty() ? last : held.first();
  }

  /**
   * Begins to read.
   *
   * @param after the last event that the reader knows, or null for what comes from now on
   */
  Start start(@Nullable FeedPosition after) {
    lock.lock();
    try {
      long end = end();
      List<FeedEvent> preamble = new ArrayList<>();
      boolean inSegment = whole && end >= segmentIndex;
      if (after != null && inSegment && after.epoch() == epoch) {
        long next = segmentIndex + (after.sequence() - segmentSequence);
        if (after.sequence() >= segmentSequence && next <= end) {
          preamble.add(FeedEvent.whole(after));
          return new Start(preamble, next);
        }
      }
      if (after != null) {
        preamble.add(FeedEvent.lost("the events after " + after + " are not kept any more"));
      }
      return present(preamble, end);
    } finally {
      lock.unlock();
    }
  }

  /** Begins anew for a reader that fell behind. */
  Start startAfterFall() {
    lock.lock();
    try {
      List<FeedEvent> preamble = new ArrayList<>();
      preamble.add(FeedEvent.lost("this client reads too slowly: events were dropped"));
      return present(preamble, end());
    } finally {
      lock.unlock();
    }
  }

  private Start present(List<FeedEvent> preamble, long end) {
    assert lock.isHeldByCurrentThread();
    if (whole && end >= segmentIndex) {
      preamble.add(
          FeedEvent.whole(new FeedPosition(epoch, segmentSequence + (end - segmentIndex))));
    } else if (preamble.isEmpty()) {
      preamble.add(FeedEvent.lost(whole ? "the feed begins anew" : lostReason));
    }
    return new Start(preamble, end);
  }

  /**
   * Adds the events from an index on to a list, a few at most.
   *
   * @return false if the reader fell behind: the event is not kept any more
   */
  boolean read(long next, int most, List<FeedEvent> into) {
    lock.lock();
    try {
      if (next < first) {
        return false;
      }
      long until = Math.min(next + most, end());
      for (long index = next; index < until; index++) {
        into.add(at(index));
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}

package io.latchkey.storage;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;

/**
 * One subscription to a feed: tells events in order, and gets a listener that failed out of its
 * gap. All but {@code closed} is guarded by the feed's delivery lock.
 */
abstract class FeedSubscriber implements Subscription {
  private static final Logger LOG = System.getLogger("io.latchkey.storage");

  private final Collection<?> siblings;
  private volatile boolean closed;

  /** The last event that the listener took; it stands still while the listener is in a gap. */
  long position;

  /** The listener was told of its loss, and not yet that it is over. */
  boolean toldLost;

  private String gap = "events could not be delivered";
  private boolean inGap;

  /**
   * A subscription that lacks what comes after the position.
   *
   * @param siblings the feed's subscriptions, from which this one removes itself at the end
   */
  FeedSubscriber(Collection<?> siblings, long position) {
    this.siblings = siblings;
    this.position = position;
  }

  abstract void tellLost(String reason);

  /** Makes the listener whole, as of this event or with what it lacks; moves the position. */
  abstract void makeWhole(long number);

  /** Whether the subscription has ended. */
  final boolean closed() {
    return closed;
  }

  /** Tells the event of a number, or ends the gap before it if the listener now takes that. */
  final void deliver(long number, Runnable event) {
    if (closed) {
      return;
    }
    // The position is behind also when an exhausted stack kept an event from being delivered.
    if (!inGap && position == number - 1) {
      try {
        event.run();
        position = number;
        return;
      } catch (Throwable e) {
        inGap = true;
        gap = "the listener failed at event " + number + ": " + e;
        LOG.log(Level.WARNING, "A feed listener failed; it is told that it lost events", e);
      }
    }
    try {
      if (!toldLost) {
        tellLost(gap);
        toldLost = true;
      }
      makeWhole(number);
      inGap = false;
    } catch (Throwable e) {
      // The first failure of the gap was logged; the next event tries again.
      inGap = true;
    }
  }

  /** Puts the listener into a gap, because the feed itself lost events. */
  final void lose(String reason) {
    if (closed) {
      return;
    }
    inGap = true;
    gap = reason;
    if (!toldLost) {
      try {
        tellLost(reason);
        toldLost = true;
      } catch (Throwable e) {
        // It is told again before it is made whole.
        LOG.log(Level.WARNING, "A feed listener failed when events were lost", e);
      }
    }
  }

  /** Ends the gap of a listener, if it takes that, because the feed is whole again. */
  final void restore(long number) {
    inGap = true;
    if (!retry(number)) {
      // The failure was of old commits that were told on the way, or of the moment: once more.
      retry(number);
    }
  }

  /** Tries to end the gap that the listener is in, if it is in one; false if it is still. */
  final boolean retry(long number) {
    if (closed || !inGap) {
      return true;
    }
    try {
      if (!toldLost) {
        tellLost(gap);
        toldLost = true;
      }
      makeWhole(number);
      inGap = false;
      return true;
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "A feed listener failed when its feed was whole; it is told again", e);
      gap = "the listener failed: " + e;
      return false;
    }
  }

  /** Begins in a gap that the listener need not be told of: it was never whole. */
  final void beginLost() {
    inGap = true;
    toldLost = true;
  }

  /** Ends the subscription from the side of the storage. */
  final void farewell(String reason) {
    if (closed) {
      return;
    }
    close();
    try {
      tellLost(reason);
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "A feed listener failed when its feed ended", e);
    }
  }

  @Override
  public final void close() {
    closed = true;
    siblings.remove(this);
  }
}

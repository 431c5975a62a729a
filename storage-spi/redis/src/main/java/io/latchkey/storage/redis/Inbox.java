package io.latchkey.storage.redis;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What the servers told that the feed's thread has not yet passed on. The threads that move bytes
 * put it in and never wait; when listeners are slow it does not grow without bound, but changes are
 * told as one of everything. Nothing is taken in after a loss.
 */
final class Inbox {
  private static final int MAX_NAMES = 100_000;
  private static final Event ALL = new All();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();

  /** Guarded by the lock, as are the next ones. */
  private final Deque<Event> events = new ArrayDeque<>();

  private int names;
  private boolean lost;
  private boolean woken;

  /** What happened. */
  sealed interface Event permits Changed, All, Lost {}

  /** The Redis keys of these names changed. */
  record Changed(List<byte[]> names) implements Event {}

  /** All Redis keys may have changed. */
  record All() implements Event {}

  /** From here on, changes go untold. */
  record Lost(String reason) implements Event {}

  void changed(List<byte[]> changed) {
    put(new Changed(changed));
  }

  void changedAll() {
    put(ALL);
  }

  void lost(String reason) {
    put(new Lost(reason));
  }

  private void put(Event given) {
    lock.lock();
    try {
      if (lost) {
        return;
      }
      Event event = given;
      if (event instanceof Changed changed) {
        names += changed.names().size();
        event = names > MAX_NAMES ? ALL : event;
      }
      if (!(event instanceof Changed)) {
        // It says more than all that came before.
        events.clear();
        names = 0;
        lost = event instanceof Lost;
      }
      events.add(event);
      arrived.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Lets the thread that waits look at other things than events. */
  void wake() {
    lock.lock();
    try {
      woken = true;
      arrived.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the next event out; null if there is none within so many nanoseconds, or after {@link
   * #wake}.
   */
  @Nullable Event poll(long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      // Until there is an event, somebody woke us, or the time is up.
      while (events.isEmpty() && !woken && left > 0) {
        left = arrived.awaitNanos(left);
      }
      woken = false;
      Event event = events.poll();
      if (event instanceof Changed changed) {
        names -= changed.names().size();
      }
      return event;
    } finally {
      lock.unlock();
    }
  }
}

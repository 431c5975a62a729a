package io.latchkey.storage.testkit;

import io.latchkey.storage.FeedListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A listener that writes down what it is told and checks the order as it comes: {@code whole}
 * first, then events whose sequence has no holes, one at a time. What is wrong is not thrown at the
 * storage but at the test, by the methods that wait.
 *
 * @param <K> the type of the keys
 */
public class FeedRecorder<K> implements FeedListener<K> {
  /** One call of the listener. */
  public enum Kind {
    /** {@link FeedListener#changed}. */
    CHANGED,
    /** {@link FeedListener#changedAll}. */
    CHANGED_ALL,
    /** {@link FeedListener#lost}. */
    LOST,
    /** {@link FeedListener#whole}. */
    WHOLE
  }

  /**
   * What was told.
   *
   * @param kind which call
   * @param keys the keys, empty unless it is {@link Kind#CHANGED}
   * @param thread the thread that called
   * @param <K> the type of the keys
   */
  public record Event<K>(Kind kind, List<K> keys, Thread thread) {}

  private final Duration patience;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition told = lock.newCondition();
  private final List<Event<K>> events = new ArrayList<>();

  /** Between {@code whole} and {@code lost}. */
  private boolean complete;

  private long epoch;
  private long sequence;
  private @Nullable Thread inside;
  private @Nullable String violation;

  /**
   * Makes a recorder.
   *
   * @param patience how long the methods that wait do so before they fail
   */
  public FeedRecorder(Duration patience) {
    this.patience = patience;
  }

  @Override
  public void changed(long eventEpoch, long number, Collection<? extends K> keys) {
    tell(new Event<>(Kind.CHANGED, List.copyOf(keys), Thread.currentThread()), eventEpoch, number);
  }

  @Override
  public void changedAll(long eventEpoch, long number) {
    tell(new Event<>(Kind.CHANGED_ALL, List.of(), Thread.currentThread()), eventEpoch, number);
  }

  @Override
  public void lost(String reason) {
    tell(new Event<>(Kind.LOST, List.of(), Thread.currentThread()), 0, 0);
  }

  @Override
  public void whole(long eventEpoch, long number) {
    tell(new Event<>(Kind.WHOLE, List.of(), Thread.currentThread()), eventEpoch, number);
  }

  /**
   * Called for each event, after it was written down and outside the recorder's lock; does nothing
   * unless overridden. What it throws is thrown at the storage.
   *
   * @param event the event
   */
  protected void react(Event<K> event) {}

  private void tell(Event<K> event, long eventEpoch, long number) {
    enter(event, eventEpoch, number);
    try {
      react(event);
    } finally {
      leave();
    }
  }

  private void enter(Event<K> event, long eventEpoch, long number) {
    lock.lock();
    try {
      if (inside != null) {
        wrong("two events are told at once, by " + inside + " and " + Thread.currentThread());
      }
      inside = Thread.currentThread();
      check(event, eventEpoch, number);
      events.add(event);
    } finally {
      lock.unlock();
    }
  }

  private void check(Event<K> event, long eventEpoch, long number) {
    switch (event.kind()) {
      case WHOLE -> {
        complete = true;
        epoch = eventEpoch;
        sequence = number;
      }
      case LOST -> complete = false;
      case CHANGED, CHANGED_ALL -> {
        if (events.isEmpty()) {
          wrong("an event was told before whole");
        }
        if (complete && (eventEpoch != epoch || number != sequence + 1)) {
          wrong(
              "event "
                  + number
                  + " of epoch "
                  + eventEpoch
                  + " was told after event "
                  + sequence
                  + " of epoch "
                  + epoch);
        }
        sequence = number;
      }
    }
  }

  private void leave() {
    lock.lock();
    try {
      inside = null;
      told.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void wrong(String what) {
    if (violation == null) {
      violation = what;
    }
  }

  /**
   * Waits until what was told so far satisfies the condition.
   *
   * @param what what is waited for, for the message
   * @param condition looks at the events
   * @throws AssertionError if that takes too long, or the order of the events is wrong
   */
  public final void await(String what, Predicate<List<Event<K>>> condition) {
    lock.lock();
    try {
      long left = patience.toNanos();
      // An event that is still being told has not yet done what react does.
      while (inside != null || !condition.test(events)) {
        checkOrder();
        if (left <= 0) {
          throw new AssertionError(what + " was not told within " + patience + ": " + events);
        }
        left = told.awaitNanos(left);
      }
      checkOrder();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for: " + what, e);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the feed is complete. */
  public final void awaitWhole() {
    await("whole", events -> complete);
  }

  /**
   * Waits until the change of the key was told, by name or with all others.
   *
   * @param key the key
   */
  public final void awaitChanged(K key) {
    await(
        "the change of " + key,
        seen ->
            seen.stream().anyMatch(e -> e.kind() == Kind.CHANGED_ALL || e.keys().contains(key)));
  }

  /**
   * Checks that the events came in order so far.
   *
   * @throws AssertionError if not
   */
  public final void checkOrder() {
    lock.lock();
    try {
      if (violation != null) {
        throw new AssertionError(violation + "; told: " + events);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * What was told so far.
   *
   * @return a copy
   */
  public final List<Event<K>> events() {
    lock.lock();
    try {
      return List.copyOf(events);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The epoch of the last {@code whole}.
   *
   * @return the epoch
   */
  public final long epoch() {
    lock.lock();
    try {
      return epoch;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The sequence number of the last event.
   *
   * @return the number
   */
  public final long sequence() {
    lock.lock();
    try {
      return sequence;
    } finally {
      lock.unlock();
    }
  }
}

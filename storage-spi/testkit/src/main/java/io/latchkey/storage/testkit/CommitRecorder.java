package io.latchkey.storage.testkit;

import io.latchkey.storage.CommitListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A listener that writes down the commits that it is told and checks the order as they come: {@code
 * whole} or {@code lost} first, then revisions without holes, one at a time. What is wrong is not
 * thrown at the storage but at the test, by the methods that wait.
 *
 * @param <K> the type of the keys
 */
public class CommitRecorder<K> implements CommitListener<K> {
  /** One call of the listener. */
  public enum Kind {
    /** {@link CommitListener#committed}. */
    COMMITTED,
    /** {@link CommitListener#lost}. */
    LOST,
    /** {@link CommitListener#whole}. */
    WHOLE
  }

  /**
   * What was told.
   *
   * @param kind which call
   * @param epoch the epoch; 0 if it is {@link Kind#LOST}
   * @param revision the revision; 0 if it is {@link Kind#LOST}
   * @param keys the keys, empty unless it is {@link Kind#COMMITTED}
   * @param thread the thread that called
   * @param <K> the type of the keys
   */
  public record Event<K>(Kind kind, long epoch, long revision, List<K> keys, Thread thread) {}

  private final Duration patience;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition told = lock.newCondition();
  private final List<Event<K>> events = new ArrayList<>();

  /** The last {@code whole} or {@code committed} after it; null in a gap. */
  private @Nullable Event<K> last;

  private @Nullable Thread inside;
  private @Nullable String violation;

  /**
   * Makes a recorder.
   *
   * @param patience how long the methods that wait do so before they fail
   */
  public CommitRecorder(Duration patience) {
    this.patience = patience;
  }

  @Override
  public void committed(long epoch, long revision, Collection<? extends K> keys) {
    tell(new Event<>(Kind.COMMITTED, epoch, revision, List.copyOf(keys), Thread.currentThread()));
  }

  @Override
  public void lost(String reason) {
    tell(new Event<>(Kind.LOST, 0, 0, List.of(), Thread.currentThread()));
  }

  @Override
  public void whole(long epoch, long head) {
    tell(new Event<>(Kind.WHOLE, epoch, head, List.of(), Thread.currentThread()));
  }

  /**
   * Called for each event, after it was written down and outside the recorder's lock; does nothing
   * unless overridden. What it throws is thrown at the storage, and the event does not count as
   * taken.
   *
   * @param event the event
   */
  protected void react(Event<K> event) {}

  private void tell(Event<K> event) {
    enter(event);
    boolean taken = false;
    try {
      react(event);
      taken = true;
    } finally {
      leave(event, taken);
    }
  }

  private void enter(Event<K> event) {
    lock.lock();
    try {
      if (inside != null) {
        wrong("two events are told at once, by " + inside + " and " + Thread.currentThread());
      }
      inside = Thread.currentThread();
      if (event.kind == Kind.COMMITTED) {
        check(event);
      }
      events.add(event);
    } finally {
      lock.unlock();
    }
  }

  private void check(Event<K> event) {
    Event<K> before = last;
    if (before == null) {
      wrong("revision " + event.revision + " was told before whole");
    } else if (event.epoch != before.epoch || event.revision != before.revision + 1) {
      wrong(
          "revision "
              + event.revision
              + " of epoch "
              + event.epoch
              + " was told after revision "
              + before.revision
              + " of epoch "
              + before.epoch);
    }
  }

  private void leave(Event<K> event, boolean taken) {
    lock.lock();
    try {
      last = taken && event.kind != Kind.LOST ? event : null;
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

  /**
   * Waits until the feed is complete and has told everything up to a revision.
   *
   * @param revision the revision
   */
  public final void awaitRevision(long revision) {
    await(
        "revision " + revision,
        seen -> {
          Event<K> current = last;
          return current != null && current.revision >= revision;
        });
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
   * How often something was told so far.
   *
   * @param kind which call
   * @return the number
   */
  public final long count(Kind kind) {
    return events().stream().filter(event -> event.kind == kind).count();
  }

  /**
   * The commits told so far.
   *
   * @return their keys by their revisions; of one that was told again, what was told last
   */
  public final Map<Long, Set<K>> commits() {
    Map<Long, Set<K>> commits = new TreeMap<>();
    for (Event<K> event : events()) {
      if (event.kind == Kind.COMMITTED) {
        commits.put(event.revision, Set.copyOf(event.keys));
      }
    }
    return commits;
  }
}

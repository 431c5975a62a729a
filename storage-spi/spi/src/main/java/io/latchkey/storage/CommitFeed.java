package io.latchkey.storage;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The commit feed of a {@link RevisionStorage}. It keeps every promise of {@link CommitListener}.
 * The storage calls {@link #committed} for each commit in the order of the revisions, after it can
 * be read, and {@link #deliver} once it holds no lock of its own any more; a storage in this
 * process does so before the call that committed returns. A storage that hears of commits over a
 * connection calls {@link #lost} and {@link #whole} besides.
 *
 * <p>Events are delivered one at a time, under a lock of the feed, by the threads that commit; one
 * of them may deliver the commits of others, and each waits until its own is told. A commit that a
 * listener makes from inside an event is told when all have had that event, still on the same
 * thread. A listener that throws is told {@link CommitListener#lost}, then {@link
 * CommitListener#whole} for the last revision that it took, and again the commits after it; if it
 * throws again, this is tried again at each commit. Where the storage no longer knows these commits
 * the listener goes on after the newest one. What it threw first is logged as a warning under
 * {@code io.latchkey.storage}.
 *
 * <p>Thread-safe. A commit costs a lock and a call for each listener.
 *
 * @param <K> the type of the keys
 */
public final class CommitFeed<K> implements AutoCloseable {
  private static final Logger LOG = System.getLogger("io.latchkey.storage");

  /**
   * Finds old commits for listeners that begin with them or did not take them.
   *
   * @param <K> the type of the keys
   */
  @FunctionalInterface
  public interface Log<K> {
    /**
     * Finds the keys of a commit. Called under the lock of the feed.
     *
     * @param revision the revision that it made, one for which {@link #committed} was called, or
     *     not above the head that the feed was made with
     * @return the keys; null if the storage has forgotten the commit, and with it all before
     * @throws Exception if they could not be read; the listener then loses the commit
     */
    @Nullable Collection<? extends K> keys(long revision) throws Exception;
  }

  private record Commit<K>(long revision, List<K> keys) {}

  private final Log<K> log;
  private final List<Subscriber<K>> subscribers = new CopyOnWriteArrayList<>();
  private final Queue<Commit<K>> pending = new ConcurrentLinkedQueue<>();

  /** Held while listeners are called; guards the fields below. */
  private final ReentrantLock delivery = new ReentrantLock();

  private boolean delivering;
  private boolean closed;
  private boolean lost;

  /** Written under the lock. */
  private volatile long epoch;

  /** The last revision that was delivered. */
  private long told;

  /**
   * Makes a feed without listeners.
   *
   * @param epoch tells apart the histories that the storage may have had under the same numbers
   * @param head the revision before the first commit that will be told
   * @param log finds old commits
   * @throws NullPointerException if the log is null
   */
  public CommitFeed(long epoch, long head, Log<K> log) {
    this.epoch = epoch;
    this.told = head;
    this.log = Objects.requireNonNull(log, "log");
  }

  /**
   * The epoch of the events.
   *
   * @return what the feed was made with, or began anew with
   */
  public long epoch() {
    return epoch;
  }

  /**
   * Takes a commit, without telling it yet; it may be called under locks. After {@link #close} it
   * does nothing.
   *
   * @param revision the revision that the commit made, one more than that of the call before
   * @param keys what it changed; copied
   * @throws NullPointerException if the collection or a key is null
   */
  public void committed(long revision, Collection<? extends K> keys) {
    pending.add(new Commit<>(revision, List.copyOf(keys)));
  }

  /**
   * Tells what was taken. When it returns, all that this thread gave to {@link #committed} has been
   * told, unless a listener is calling.
   */
  public void deliver() {
    delivery.lock();
    try {
      // If a listener of this very thread committed, the loop further out tells it.
      if (!delivering) {
        deliverPending();
      }
    } finally {
      delivery.unlock();
    }
  }

  private void deliverPending() {
    delivering = true;
    try {
      for (Commit<K> next = pending.poll(); next != null; next = pending.poll()) {
        told = next.revision;
        for (Subscriber<K> subscriber : subscribers) {
          subscriber.deliver(next);
        }
      }
    } finally {
      delivering = false;
    }
  }

  /**
   * Subscribes a listener; it is told {@link CommitListener#whole} and the commits that it lacks
   * before this returns.
   *
   * @param from the last revision that it knows; the storage has checked that it is not negative
   *     and not above its head
   * @param listener is told the commits
   * @return the subscription
   * @throws NullPointerException if the listener is null
   * @throws IllegalStateException if the feed is closed
   * @throws RuntimeException what the listener threw; it is then not subscribed
   */
  public Subscription subscribe(long from, CommitListener<? super K> listener) {
    Objects.requireNonNull(listener, "listener");
    delivery.lock();
    boolean nested = delivering;
    try {
      if (closed) {
        throw new IllegalStateException("the feed is closed");
      }
      Subscriber<K> subscriber = new Subscriber<>(this, listener, from);
      // What the listener itself commits meanwhile is told afterwards.
      delivering = true;
      if (lost) {
        subscriber.beginLost();
      } else {
        subscriber.begin();
      }
      subscribers.add(subscriber);
      return subscriber;
    } finally {
      delivering = nested;
      if (!nested) {
        deliverPending();
      }
      delivery.unlock();
    }
  }

  /**
   * Tells that commits may be missing until {@link #whole} or {@link #restart}: for storages that
   * hear of commits over a connection, when it is lost. Until then nothing is delivered, and who
   * subscribes is told nothing. Does nothing after {@link #close}.
   *
   * @param reason what happened, for people, without credentials
   * @throws NullPointerException if it is null
   */
  public void lost(String reason) {
    Objects.requireNonNull(reason, "reason");
    delivery.lock();
    try {
      if (!closed && !lost) {
        lost = true;
        for (Subscriber<K> subscriber : subscribers) {
          subscriber.lose(reason);
        }
      }
    } finally {
      delivery.unlock();
    }
  }

  /**
   * Ends a loss: listeners go on after the last commit that they took, with what the storage knows
   * of the commits since then, up to the head. Does nothing unless commits were {@link #lost}.
   *
   * @param head the storage's newest revision; the next commit that will be told has one more
   */
  public void whole(long head) {
    delivery.lock();
    try {
      if (!closed && lost) {
        lost = false;
        told = Math.max(told, head);
        restoreAll();
      }
    } finally {
      delivery.unlock();
    }
  }

  private void restoreAll() {
    for (Subscriber<K> subscriber : subscribers) {
      subscriber.restore(told);
    }
  }

  /**
   * Tries again to make listeners whole that threw when they were told commits. Otherwise this is
   * done at the next commit only; a storage that does something now and then, such as looking
   * whether its connection works, calls this, too. Does nothing while commits are {@link #lost}.
   */
  public void retry() {
    delivery.lock();
    try {
      if (!closed && !lost) {
        for (Subscriber<K> subscriber : subscribers) {
          subscriber.retry(told);
        }
      }
    } finally {
      delivery.unlock();
    }
  }

  /**
   * Begins anew, because the storage has another history, or has forgotten what comes after the
   * commit told last. Listeners are told of a loss, and that commits after the head follow.
   *
   * @param newEpoch the epoch from now on: another one if the storage has another history
   * @param head the revision before the first commit that will be told
   */
  public void restart(long newEpoch, long head) {
    delivery.lock();
    try {
      if (closed) {
        return;
      }
      lost("the storage has another history");
      lost = false;
      pending.clear();
      epoch = newEpoch;
      told = head;
      for (Subscriber<K> subscriber : subscribers) {
        subscriber.position = head;
      }
      restoreAll();
    } finally {
      delivery.unlock();
    }
  }

  /**
   * Ends one subscription from the side of the storage: its listener is told {@link
   * CommitListener#lost}, unless the subscription is closed already.
   *
   * @param subscription what {@link #subscribe} of this feed returned
   * @param reason what happened, for people
   * @throws IllegalArgumentException if the subscription is of another feed
   */
  public void end(Subscription subscription, String reason) {
    if (!(subscription instanceof Subscriber<?> subscriber) || subscriber.feed != this) {
      throw new IllegalArgumentException("not a subscription of this feed: " + subscription);
    }
    delivery.lock();
    try {
      subscriber.farewell(reason);
    } finally {
      delivery.unlock();
    }
  }

  /** Tells {@link CommitListener#lost} to all listeners and ends their subscriptions. */
  @Override
  public void close() {
    delivery.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      for (Subscriber<K> subscriber : subscribers) {
        subscriber.farewell("the storage was closed");
      }
    } finally {
      delivery.unlock();
    }
  }

  private static final class Subscriber<K> extends FeedSubscriber {
    private final CommitFeed<K> feed;
    private final CommitListener<? super K> listener;

    /** The listener was told nothing yet, so that it does not know of any loss. */
    private boolean fresh = true;

    Subscriber(CommitFeed<K> feed, CommitListener<? super K> listener, long position) {
      super(feed.subscribers, position);
      this.feed = feed;
      this.listener = listener;
    }

    private @Nullable Collection<? extends K> known(long revision) {
      try {
        return feed.log.keys(revision);
      } catch (Exception e) {
        LOG.log(Level.WARNING, "Commit " + revision + " cannot be told, it could not be read", e);
        return null;
      }
    }

    void begin() {
      if (position >= feed.told || known(position + 1) != null) {
        listener.whole(feed.epoch, position);
      } else {
        skipForgotten();
      }
      catchUp();
    }

    private void skipForgotten() {
      if (!toldLost || fresh) {
        listener.lost("the commits after revision " + position + " are no longer known");
        toldLost = true;
      }
      listener.whole(feed.epoch, feed.told);
      position = feed.told;
      fresh = false;
      toldLost = false;
    }

    /** Tells old commits, up to what all others were told. */
    private void catchUp() {
      while (position < feed.told && !closed()) {
        Collection<? extends K> keys = known(position + 1);
        if (keys == null) {
          skipForgotten();
        } else {
          listener.committed(feed.epoch, position + 1, keys);
          position++;
        }
      }
    }

    void deliver(Commit<K> commit) {
      // It may be told already to one that subscribed while the commit was on its way.
      if (commit.revision > position) {
        deliver(
            commit.revision, () -> listener.committed(feed.epoch, commit.revision, commit.keys));
      }
    }

    @Override
    void tellLost(String reason) {
      listener.lost(reason);
    }

    @Override
    void makeWhole(long number) {
      if (position < feed.told && known(position + 1) == null) {
        skipForgotten();
      } else {
        listener.whole(feed.epoch, position);
        fresh = false;
        toldLost = false;
      }
      catchUp();
    }
  }
}

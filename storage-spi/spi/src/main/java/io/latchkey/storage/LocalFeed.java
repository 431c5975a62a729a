package io.latchkey.storage;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The feed of a storage whose changes all happen in this process. It keeps every promise of {@link
 * FeedListener}: the storage calls {@link #changed} after a change is visible and before its write
 * returns, and the listeners are told on that thread before {@code changed} returns.
 *
 * <p>Events are delivered one at a time, under a lock of the feed, so that every listener gets all
 * of them in one order; a write waits while the events of others are delivered. A change that a
 * listener makes from inside an event is told after that event has gone to all, still on the same
 * thread. A listener that throws is told {@link FeedListener#lost} and, as soon as it takes that,
 * {@link FeedListener#whole}; if it does not, this is tried again at each event. What it threw
 * first is logged as a warning under {@code io.latchkey.storage}.
 *
 * <p>Each feed has a random epoch; sequences count from 1. Thread-safe. An event costs a lock and a
 * call for each listener.
 *
 * @param <K> the type of the keys
 */
public final class LocalFeed<K> implements AutoCloseable {
  private final long epoch = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
  private final List<Subscriber<K>> subscribers = new CopyOnWriteArrayList<>();

  /** Held while listeners are called; guards the fields below. */
  private final ReentrantLock delivery = new ReentrantLock();

  private final Queue<Event<K>> pending = new ArrayDeque<>();
  private boolean delivering;
  private boolean closed;
  private long sequence;

  /** Makes a feed without listeners. */
  public LocalFeed() {}

  /**
   * Subscribes a listener; it is told {@link FeedListener#whole} before this returns.
   *
   * @param listener is told the events
   * @return the subscription
   * @throws NullPointerException if the listener is null
   * @throws IllegalStateException if the feed is closed
   * @throws RuntimeException what the listener's {@code whole} threw; it is then not subscribed
   */
  public Subscription watch(FeedListener<? super K> listener) {
    Objects.requireNonNull(listener, "listener");
    delivery.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the feed is closed");
      }
      // Under the lock, so that no event comes between.
      listener.whole(epoch, sequence);
      Subscriber<K> subscriber = new Subscriber<>(this, listener, sequence);
      subscribers.add(subscriber);
      return subscriber;
    } finally {
      delivery.unlock();
    }
  }

  /**
   * Ends one subscription from the side of the storage: its listener is told {@link
   * FeedListener#lost}, unless the subscription is closed already.
   *
   * @param subscription what {@link #watch} of this feed returned
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

  /**
   * Tells that objects changed. To be called after the change is visible to loads. After {@link
   * #close} it does nothing.
   *
   * @param keys the keys; copied. An empty collection is no event
   * @throws NullPointerException if the collection or a key is null
   */
  public void changed(Collection<? extends K> keys) {
    List<K> copy = List.copyOf(keys);
    if (!copy.isEmpty()) {
      publish((listener, number) -> listener.changed(epoch, number, copy));
    }
  }

  /** Tells that any object may have changed. After {@link #close} it does nothing. */
  public void changedAll() {
    publish((listener, number) -> listener.changedAll(epoch, number));
  }

  /**
   * The epoch of the events.
   *
   * @return a random number, not negative
   */
  public long epoch() {
    return epoch;
  }

  /** Tells {@link FeedListener#lost} to all listeners and ends their subscriptions. */
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

  private void publish(Event<K> event) {
    delivery.lock();
    boolean done = false;
    try {
      if (!closed) {
        pending.add(event);
        // If a listener of this very thread made the change, the loop further out tells it.
        if (!delivering) {
          deliverPending();
        }
      }
      done = true;
    } finally {
      if (!done) {
        // An exhausted stack or heap: a number that nobody was told makes all notice their loss.
        sequence++;
      }
      delivery.unlock();
    }
  }

  private void deliverPending() {
    delivering = true;
    try {
      for (Event<K> next = pending.poll(); next != null; next = pending.poll()) {
        sequence++;
        Event<K> event = next;
        long number = sequence;
        for (Subscriber<K> subscriber : subscribers) {
          subscriber.deliver(number, () -> event.tell(subscriber.listener, number));
        }
      }
    } finally {
      delivering = false;
    }
  }

  private interface Event<K> {
    void tell(FeedListener<? super K> listener, long sequence);
  }

  private static final class Subscriber<K> extends FeedSubscriber {
    private final LocalFeed<K> feed;
    private final FeedListener<? super K> listener;

    Subscriber(LocalFeed<K> feed, FeedListener<? super K> listener, long position) {
      super(feed.subscribers, position);
      this.feed = feed;
      this.listener = listener;
    }

    @Override
    void tellLost(String reason) {
      listener.lost(reason);
    }

    @Override
    void makeWhole(long number) {
      listener.whole(feed.epoch, number);
      position = number;
      toldLost = false;
    }
  }
}

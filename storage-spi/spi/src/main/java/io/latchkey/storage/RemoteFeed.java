package io.latchkey.storage;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The feed of a storage that hears of changes over a connection: what one thread hears there, all
 * listeners are told. It keeps the promises of {@link FeedListener} as long as the storage calls
 * {@link #whole} once nothing can be missed any more, {@link #lost} as soon as something may be,
 * and in between {@link #changed} in the order in which changes became visible.
 *
 * <p>It begins lost. Listeners that subscribe while it is whole are told so before {@code watch}
 * returns, others when it is. Events are delivered one at a time, under a lock of the feed, on the
 * thread that brings them. A listener that throws is told {@link FeedListener#lost} and {@link
 * FeedListener#whole} at once; if it does not take both, again at each event. What it threw first
 * is logged as a warning under {@code io.latchkey.storage}. Others notice nothing.
 *
 * <p>Thread-safe. An event costs a lock and a call for each listener.
 *
 * @param <K> the type of the keys
 */
public final class RemoteFeed<K> implements AutoCloseable {
  private final List<Subscriber<K>> subscribers = new CopyOnWriteArrayList<>();

  /** Held while listeners are called; guards the fields below. */
  private final ReentrantLock delivery = new ReentrantLock();

  private boolean whole;
  private boolean closed;
  private long epoch;
  private long sequence;

  /** Makes a feed without listeners, which is lost until it is said to be whole. */
  public RemoteFeed() {}

  /**
   * Subscribes a listener. If the feed is whole it is told so before this returns.
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
      Subscriber<K> subscriber = new Subscriber<>(this, listener);
      if (whole) {
        subscriber.makeWhole(sequence);
      } else {
        subscriber.beginLost();
      }
      subscribers.add(subscriber);
      return subscriber;
    } finally {
      delivery.unlock();
    }
  }

  /**
   * Whether somebody listens.
   *
   * @return true if there is a subscription
   */
  public boolean isWatched() {
    return !subscribers.isEmpty();
  }

  /**
   * Tells that the feed is complete from here on. If it was whole, listeners are told of a loss
   * first. After {@link #close} it does nothing.
   *
   * @param newEpoch the epoch of the events that follow: the one before only if the numbers go on
   *     where a listener of that epoch would expect them
   * @param from the number before that of the next event
   */
  public void whole(long newEpoch, long from) {
    delivery.lock();
    try {
      if (closed) {
        return;
      }
      lost("the feed began anew");
      epoch = newEpoch;
      sequence = from;
      whole = true;
      for (Subscriber<K> subscriber : subscribers) {
        subscriber.restore(from);
      }
    } finally {
      delivery.unlock();
    }
  }

  /**
   * Tells that events may be missing until {@link #whole}. Does nothing if that was told already,
   * or after {@link #close}.
   *
   * @param reason what happened, for people, without credentials
   * @throws NullPointerException if it is null
   */
  public void lost(String reason) {
    Objects.requireNonNull(reason, "reason");
    delivery.lock();
    try {
      if (closed || !whole) {
        return;
      }
      whole = false;
      for (Subscriber<K> subscriber : subscribers) {
        subscriber.lose(reason);
      }
    } finally {
      delivery.unlock();
    }
  }

  /**
   * Tells that objects changed, under the next number. To be called after the change is visible to
   * loads. Does nothing while the feed is lost, and after {@link #close}.
   *
   * @param keys the keys; copied. An empty collection is an event, too: it takes a number
   * @throws NullPointerException if the collection or a key is null
   */
  public void changed(Collection<? extends K> keys) {
    List<K> copy = List.copyOf(keys);
    publish((listener, number) -> listener.changed(epoch, number, copy));
  }

  /**
   * Tells that any object may have changed, under the next number; otherwise as {@code changed}.
   */
  public void changedAll() {
    publish((listener, number) -> listener.changedAll(epoch, number));
  }

  private void publish(Event<K> event) {
    delivery.lock();
    try {
      if (closed || !whole) {
        return;
      }
      sequence++;
      long number = sequence;
      for (Subscriber<K> subscriber : subscribers) {
        subscriber.deliver(number, () -> event.tell(subscriber.listener, number));
      }
    } finally {
      delivery.unlock();
    }
  }

  /**
   * Tries again to make listeners whole that threw when they were told events. Otherwise this is
   * done at the next event only; a storage that does something now and then, such as looking
   * whether its connection works, calls this, too. Does nothing while the feed is lost.
   */
  public void retry() {
    delivery.lock();
    try {
      if (!closed && whole) {
        for (Subscriber<K> subscriber : subscribers) {
          subscriber.retry(sequence);
        }
      }
    } finally {
      delivery.unlock();
    }
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

  private interface Event<K> {
    void tell(FeedListener<? super K> listener, long sequence);
  }

  private static final class Subscriber<K> extends FeedSubscriber {
    private final RemoteFeed<K> feed;
    private final FeedListener<? super K> listener;

    Subscriber(RemoteFeed<K> feed, FeedListener<? super K> listener) {
      super(feed.subscribers, 0);
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

package io.latchkey.storage.testkit;

import io.latchkey.storage.FeedListener;
import io.latchkey.storage.LocalFeed;
import io.latchkey.storage.Subscription;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The feed of a {@link FaultyStorage}. Until told otherwise it keeps the contract of {@link
 * FeedListener} as a {@link LocalFeed} does: on the thread that stores, before the store returns.
 * All listeners are told the same. Thread-safe.
 *
 * @param <K> the type of the keys
 */
public final class FaultyFeed<K> {
  /** What befalls an event. */
  private enum Fate {
    TOLD,
    DROPPED,
    REPEATED
  }

  /** What goes through the feed in place of its keys. */
  private interface Item<K> {
    void tell(Hearer<K> to, long epoch, long sequence);
  }

  private final LocalFeed<Item<K>> feed = new LocalFeed<>();
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by the lock, as are the next ones. */
  private int drops;

  private int repeats;
  private volatile boolean lost;
  private volatile @Nullable Throwable refusal;

  FaultyFeed() {}

  /**
   * Tells that objects changed, as a change from elsewhere would be told.
   *
   * @param keys the keys
   */
  public void changed(Collection<? extends K> keys) {
    List<K> copy = List.copyOf(keys);
    publish((listener, epoch, sequence) -> listener.changed(epoch, sequence, copy));
  }

  /** Tells that any object may have changed. */
  public void changedAll() {
    publish(FeedListener::changedAll);
  }

  /** An event for the user. */
  private interface Telling<K> {
    void tell(FeedListener<K> listener, long epoch, long sequence);
  }

  private void publish(Telling<K> telling) {
    Fate fate = nextFate();
    send(
        (to, epoch, sequence) -> {
          if (to.inGap || fate == Fate.DROPPED) {
            return;
          }
          telling.tell(to.listener, epoch, sequence);
          if (fate == Fate.REPEATED) {
            telling.tell(to.listener, epoch, sequence);
          }
        });
  }

  private void send(Item<K> item) {
    feed.changed(List.of(item));
  }

  private Fate nextFate() {
    lock.lock();
    try {
      if (drops > 0) {
        drops--;
        return Fate.DROPPED;
      }
      if (repeats > 0) {
        repeats--;
        return Fate.REPEATED;
      }
      return Fate.TOLD;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets events vanish: their sequence numbers are used up and nobody is told, which the contract
   * forbids.
   *
   * @param events how many, from the next one on
   */
  public void drop(int events) {
    lock.lock();
    try {
      drops += events;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets events be told twice, with the same sequence number, which the contract forbids.
   *
   * @param events how many, from the next one on that is not dropped
   */
  public void repeat(int events) {
    lock.lock();
    try {
      repeats += events;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Tells {@code lost}; events that come before {@link #resume} are not told, and who watches
   * before it is not told {@code whole}.
   *
   * @param reason what the listeners are told
   */
  public void lose(String reason) {
    Objects.requireNonNull(reason, "reason");
    lost = true;
    send(
        (to, epoch, sequence) -> {
          to.inGap = true;
          to.listener.lost(reason);
        });
  }

  /** Tells {@code whole}: what happens from here on is told again. */
  public void resume() {
    lost = false;
    send(
        (to, epoch, sequence) -> {
          to.inGap = false;
          to.listener.whole(epoch, sequence);
        });
  }

  /**
   * Lets watching fail, until it is called with null.
   *
   * @param failure thrown as it is by {@code watch}, or null
   */
  public void refuse(@Nullable Throwable failure) {
    refusal = failure;
  }

  Subscription watch(FeedListener<K> listener) {
    Objects.requireNonNull(listener, "listener");
    Throwable failure = refusal;
    if (failure != null) {
      throw Sneaky.raise(failure);
    }
    return feed.watch(new Hearer<>(listener, lost));
  }

  void close() {
    feed.close();
  }

  /** Hands on to one listener; the feed calls it by one thread at a time. */
  private static final class Hearer<K> implements FeedListener<Item<K>> {
    final FeedListener<K> listener;
    boolean inGap;

    Hearer(FeedListener<K> listener, boolean inGap) {
      this.listener = listener;
      this.inGap = inGap;
    }

    @Override
    public void changed(long epoch, long sequence, Collection<? extends Item<K>> items) {
      for (Item<K> item : items) {
        item.tell(this, epoch, sequence);
      }
    }

    @Override
    public void changedAll(long epoch, long sequence) {
      throw new AssertionError("only items go through this feed");
    }

    @Override
    public void lost(String reason) {
      listener.lost(reason);
    }

    @Override
    public void whole(long epoch, long sequence) {
      if (!inGap) {
        listener.whole(epoch, sequence);
      }
    }
  }
}

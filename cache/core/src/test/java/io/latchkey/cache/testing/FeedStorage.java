package io.latchkey.cache.testing;

import io.latchkey.storage.FeedListener;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A storage whose feed says what the test tells it to say, in the thread that tells it. */
public class FeedStorage<K, V> extends MapStorage<K, V> implements WatchableStorage<K, V> {
  private final List<FeedListener<K>> listeners = new CopyOnWriteArrayList<>();
  private long epoch = 1;
  private long sequence;

  @Override
  public Subscription watch(FeedListener<K> listener) throws Exception {
    note("watch");
    listeners.add(listener);
    return () -> {
      note("unwatch");
      listeners.remove(listener);
    };
  }

  /** The only listener that is subscribed, for events out of order. */
  public final FeedListener<K> listener() {
    if (listeners.size() != 1) {
      throw new AssertionError(listeners.size() + " listeners are subscribed, not one");
    }
    return listeners.get(0);
  }

  /** How many listeners are subscribed. */
  public final int subscriptions() {
    return listeners.size();
  }

  /** The next event: these keys changed. */
  @SafeVarargs
  public final synchronized void changed(K... keys) {
    sequence++;
    listeners.forEach(listener -> listener.changed(epoch, sequence, List.of(keys)));
  }

  /** The next event: anything may have changed. */
  public final synchronized void changedAll() {
    sequence++;
    listeners.forEach(listener -> listener.changedAll(epoch, sequence));
  }

  /** The feed may have missed events from here on. */
  public final synchronized void lost() {
    listeners.forEach(listener -> listener.lost("the test cut the line"));
  }

  /** The feed is complete from here on. */
  public final synchronized void whole() {
    listeners.forEach(listener -> listener.whole(epoch, sequence));
  }

  /** The number of the last event. */
  public final synchronized long sequence() {
    return sequence;
  }

  /** Later events are numbered from here, in this epoch. */
  public final synchronized void moveTo(long newEpoch, long newSequence) {
    epoch = newEpoch;
    sequence = newSequence;
  }

  @Override
  public String name() {
    return "feed";
  }
}

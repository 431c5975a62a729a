package io.latchkey.storage;

import java.util.Collection;

/**
 * Receives the invalidation feed of a {@link WatchableStorage}.
 *
 * <p><b>Order and completeness.</b> An event carries an epoch and a sequence number. Within an
 * epoch the sequence numbers of the events have no holes: each is one more than that of the event
 * before, or than the one that {@link #whole} gave. A storage that starts anew, or cannot tell what
 * happened in between, takes another epoch. The first call is {@code whole(epoch, s)}: every change
 * that is not yet visible to loads by then will be told, from sequence {@code s + 1} on. Loss is an
 * event of its own, {@link #lost}, never silence; after it nothing is vouched for until the next
 * {@code whole}. A listener that sees a hole or an epoch it does not know was let down by the
 * storage and treats it as a loss.
 *
 * <p><b>Visibility.</b> A change is told after it is visible to loads. Who forgets an object when
 * it is told, and loads it again, gets the changed object or a newer one. Between a change and its
 * event a load may already see the changed object.
 *
 * <p><b>Threads.</b> The events of one subscription come one after the other, possibly on different
 * threads, each seeing what the one before wrote. An in-process storage calls on the thread that
 * stores, before its {@code store} returns, so that a cache can tell the echo of its own write by
 * the thread. Implementations must be quick and must not wait for another thread that stores or
 * watches; a store made from inside a listener is told when the listener has returned.
 *
 * <p><b>Failures.</b> A listener that throws has not handled the event, and its position is not
 * advanced: it is told {@code lost}, and {@code whole} as soon as it takes both without throwing.
 * Other listeners, and the store that caused the event, notice nothing of it.
 *
 * @param <K> the type of the keys
 */
public interface FeedListener<K> {
  /**
   * These objects were stored or deleted.
   *
   * @param epoch the epoch of the feed
   * @param sequence the number of this event
   * @param keys the keys, without null; not kept or changed by the storage afterwards
   */
  void changed(long epoch, long sequence, Collection<? extends K> keys);

  /**
   * Any object may have changed: the storage was emptied or replaced, or too much changed to list.
   *
   * @param epoch the epoch of the feed
   * @param sequence the number of this event
   */
  void changedAll(long epoch, long sequence);

  /**
   * Events may be missing from here on, or from some time before, until {@link #whole}.
   *
   * @param reason what happened, for people, without credentials
   */
  void lost(String reason);

  /**
   * The feed is complete from here on: what became visible to loads before this call may have gone
   * untold, all later changes will be told.
   *
   * @param epoch the epoch of the events that follow
   * @param sequence the number of the last event that is not told any more; the next has one more
   */
  void whole(long epoch, long sequence);
}

package io.latchkey.storage;

/**
 * A storage that tells what changed, whoever changed it: the feed that keeps caches fresh. {@link
 * FeedListener} states what the events promise.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface WatchableStorage<K, V> extends Storage<K, V> {
  /**
   * Subscribes a listener until the subscription or the storage is closed. An in-process storage
   * calls {@link FeedListener#whole} before this method returns; one with a connection may call it
   * later, on another thread. Until then nothing is complete. Several listeners, and one listener
   * several times, may be subscribed; each subscription is told everything.
   *
   * @param listener is told the events
   * @return the subscription, to be closed
   * @throws NullPointerException if the listener is null
   * @throws Exception if the storage cannot tell its changes now, or the listener threw; nothing is
   *     then subscribed
   */
  Subscription watch(FeedListener<K> listener) throws Exception;
}

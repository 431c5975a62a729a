package io.latchkey.storage;

/** A storage that tells what changed. */
public interface WatchableStorage<K, V> extends Storage<K, V> {
  /** Subscribes the listener until the subscription is closed. */
  Subscription watch(FeedListener<K> listener) throws Exception;
}

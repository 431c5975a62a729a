package io.latchkey.storage;

/**
 * A subscription to the feed of a {@link WatchableStorage} or to the commits of a {@link
 * RevisionStorage}. Thread-safe.
 */
public interface Subscription extends AutoCloseable {
  /**
   * Ends the events: nothing that happens after this returned is told. It does not wait for an
   * event that another thread is delivering, so that it may be called from inside a listener and
   * under locks that a listener takes. A second close does nothing. It throws nothing: a storage
   * that cannot say farewell to its server lets the connection go.
   */
  @Override
  void close();
}

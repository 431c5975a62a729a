package io.latchkey.storage.redis;

import io.latchkey.storage.Codec;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A storage on Redis that tells its changes, whoever makes them, by Redis' client-side caching
 * ({@code CLIENT TRACKING}), which needs Redis 6 or later. Stores, deletions, expiry and eviction
 * are told; {@code FLUSHDB} and {@code FLUSHALL} of any database as a change of everything, as is
 * each change of the one {@code hash} that holds all objects. A cache's own writes are told as
 * well.
 *
 * <p><b>{@code feed=default}.</b> The server remembers the keys that are read and written by this
 * storage, which takes memory there, and tells the next change of each; what was never read or
 * written here is not told. All calls go over the connection on which changes are told. This is
 * what a cache needs, at the least traffic.
 *
 * <p><b>{@code feed=broadcast}.</b> The server remembers nothing and tells every change of a key
 * that begins with the {@code prefix}, over a connection to each master of a cluster. To be taken
 * with a cluster, or when most changes are of objects that were read here.
 *
 * <p><b>Losses.</b> The end of a connection is told as {@code lost} at once. A server that fell
 * silent, and a cluster that has other masters than before, are noticed after two heartbeats at the
 * latest. The feed then connects anew, at once and with pauses of up to a second, and tells {@code
 * whole} in a new epoch when every server said that it tracks. A master that cannot be reached
 * keeps the feed of a cluster lost until it is back or replaced.
 *
 * <p>Keys that the codec cannot decode are taken for those of other programs. When listeners are so
 * slow that 100,000 changed keys wait for them, these are told as a change of everything. Redis
 * tells nothing about {@code SWAPDB}.
 *
 * @param <K> the type of the keys, equal when their bytes are
 * @param <V> the type of the objects
 */
public final class WatchableRedisStorage<K, V> extends RedisStorage<K, V>
    implements WatchableStorage<K, V> {
  private final TrackingFeed<K> feed;

  WatchableRedisStorage(Opening opening, Codec<K> keys, Codec<V> values) {
    super(opening, keys, values);
    this.feed = new TrackingFeed<>(opening, keys);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Returns when the feed is whole, or the first attempt to make it so failed for now, after the
   * time-out at the latest. Events come on a thread of the feed.
   *
   * @throws StorageException if the server cannot tell changes or may not
   * @throws InterruptedException if the thread was interrupted; nothing is then subscribed
   */
  @Override
  public Subscription watch(FeedListener<K> listener)
      throws StorageException, InterruptedException {
    Objects.requireNonNull(listener, "listener");
    checkOpen();
    return feed.watch(listener);
  }

  @Override
  public WatchableStorage<K, Expiring<V>> expiring() {
    return new ExpiringView.Watchable<>(this);
  }

  @Override
  CompletableFuture<Session> session() {
    Session tracked = feed.session();
    return tracked != null && tracked.isOpen()
        ? CompletableFuture.completedFuture(tracked)
        : super.session();
  }

  @Override
  void lost(Session session) {
    feed.lost(session);
    super.lost(session);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Listeners are told {@code lost}.
   */
  @Override
  public void close() {
    feed.close();
    super.close();
  }
}

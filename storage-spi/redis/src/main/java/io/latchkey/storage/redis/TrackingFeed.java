package io.latchkey.storage.redis;

import io.latchkey.storage.Codec;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.RemoteFeed;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners what the servers tell. A thread, which is there while somebody listens, connects
 * to every server that has objects, tells {@code whole} when all of them said that they track, then
 * passes on what comes, asks each server with every heartbeat whether it is there, and at the first
 * that is not tells {@code lost} and begins anew, after a pause that grows.
 *
 * <p>In default mode a server tells the changes only of keys that were read on that very
 * connection. So while the feed is whole the storage's calls go over it, see {@link #session}. The
 * reference is set before {@code whole} is told: what is loaded after that was read there. It is
 * taken back when the connection ends, and what is read elsewhere from then on was begun before
 * {@code lost} is told, or between that and the next {@code whole}; listeners keep neither.
 *
 * <p>Lock order: the lock of this class, then the delivery lock of the {@link RemoteFeed}.
 */
final class TrackingFeed<K> {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Opening opening;
  private final Codec<K> keys;
  private final RemoteFeed<K> listeners = new RemoteFeed<>();
  private final AtomicReference<@Nullable Session> tracked = new AtomicReference<>();
  private final ReentrantLock lock = new ReentrantLock();

  /** The thread that runs, or null; guarded by the lock. */
  private @Nullable Thread thread;

  /** How that thread's last attempt ended; guarded by the lock. */
  private CompletableFuture<@Nullable StorageException> attempt = new CompletableFuture<>();

  private volatile Inbox inbox = new Inbox();
  private volatile boolean closed;

  TrackingFeed(Opening opening, Codec<K> keys) {
    this.opening = opening;
    this.keys = keys;
  }

  /** The connection that reads have to go over, or null if that does not matter. */
  @Nullable Session session() {
    return tracked.get();
  }

  /** Says that the connection of a session ended. */
  void lost(Session session) {
    tracked.compareAndSet(session, null);
  }

  /** Returns when the feed is whole, or will be later. */
  Subscription watch(FeedListener<K> listener) throws StorageException, InterruptedException {
    Subscription subscription;
    CompletableFuture<@Nullable StorageException> outcome;
    lock.lock();
    try {
      if (closed) {
        throw opening.failures.closed();
      }
      subscription = listeners.watch(listener);
      if (thread == null) {
        attempt = new CompletableFuture<>();
        thread = new Thread(this::run, "latchkey-redis-feed");
        thread.setDaemon(true);
        thread.start();
      }
      outcome = attempt;
    } finally {
      lock.unlock();
    }
    boolean subscribed = false;
    try {
      StorageException refusal =
          outcome.get(opening.options.timeout().toNanos(), TimeUnit.NANOSECONDS);
      if (refusal != null) {
        throw refusal;
      }
      subscribed = true;
    } catch (TimeoutException e) {
      subscribed = true; // it will be whole later
    } catch (ExecutionException e) {
      throw new AssertionError(e); // it is only ever completed
    } finally {
      if (!subscribed) {
        subscription.close();
      }
    }
    return subscription;
  }

  private void run() {
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      Inbox heard = new Inbox();
      inbox = heard;
      boolean whole = false;
      String reason;
      StorageException refusal = null;
      List<Tracking> trackings = new ArrayList<>();
      try {
        open(trackings, heard);
        if (opening.options.feed() == RedisOptions.Feed.DEFAULT) {
          tracked.set(trackings.get(0).session());
        }
        listeners.whole(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 0);
        whole = true;
        attempted(null);
        reason = pump(trackings, heard);
      } catch (StorageException e) {
        reason = String.valueOf(e.getMessage());
        refusal = e.retryable() ? null : e;
      } catch (InterruptedException | RuntimeException | Error e) {
        reason = "the feed failed: " + e; // it tells its loss and tries again, whatever it was
      } finally {
        tracked.set(null);
        if (!closed) {
          trackings.forEach(Tracking::close); // the client closes them otherwise
        }
      }
      if (ends(reason)) {
        return;
      }
      attempted(refusal);
      pause = whole ? FIRST_PAUSE_NANOS : Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      rest(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2));
    }
  }

  /** Tells those who wait, and those who come, how the last attempt ended: null if not refused. */
  private void attempted(@Nullable StorageException refusal) {
    lock.lock();
    try {
      if (!attempt.complete(refusal)) {
        attempt = CompletableFuture.completedFuture(refusal);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells the loss, and ends the thread if nobody listens any more. */
  private boolean ends(String reason) {
    lock.lock();
    try {
      listeners.lost(reason);
      if (closed || !listeners.isWatched()) {
        thread = null;
        attempt.complete(null);
        return true;
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void rest(long nanos) {
    long end = System.nanoTime() + nanos;
    try {
      for (long left = nanos; left > 0 && !closed; left = end - System.nanoTime()) {
        Inbox waiting = new Inbox();
        inbox = waiting;
        if (!closed) {
          waiting.poll(left);
        }
      }
    } catch (InterruptedException e) {
      // Nobody has a reason to; the pause is over then.
    }
  }

  private void open(List<Tracking> trackings, Inbox heard)
      throws StorageException, InterruptedException {
    RedisClusterClient cluster = opening.clients.cluster();
    if (cluster == null) {
      trackings.add(
          Tracking.open(
              opening.clients.single(),
              opening.url.nodes().get(0),
              null,
              opening.options,
              opening.failures,
              heard));
      return;
    }
    List<RedisClusterNode> masters = masters(cluster);
    Set<String> ids = new HashSet<>();
    masters.forEach(master -> ids.add(master.getNodeId()));
    for (RedisClusterNode master : masters) {
      trackings.add(
          Tracking.open(
              opening.clients.single(),
              master.getUri(),
              ids,
              opening.options,
              opening.failures,
              heard));
    }
  }

  private List<RedisClusterNode> masters(RedisClusterClient cluster)
      throws StorageException, InterruptedException {
    try {
      cluster
          .refreshPartitionsAsync()
          .toCompletableFuture()
          .get(opening.options.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw opening.failures.connecting(e);
    } catch (TimeoutException e) {
      throw opening.failures.timedOut("watch");
    }
    List<RedisClusterNode> masters = new ArrayList<>();
    for (RedisClusterNode node : cluster.getPartitions()) {
      if (Tracking.isMaster(node) && !node.hasNoSlots()) {
        masters.add(node);
      }
    }
    return masters;
  }

  /** Passes on what comes; returns the reason why that ended. */
  private String pump(List<Tracking> trackings, Inbox heard) throws InterruptedException {
    long heartbeat = opening.options.heartbeat().toNanos();
    long due = System.nanoTime() + heartbeat;
    CompletableFuture<@Nullable String> probe = null;
    while (true) {
      long now = System.nanoTime();
      if (probe != null && probe.isDone()) {
        String reason = outcome(probe);
        if (reason != null) {
          return reason;
        }
        probe = null; // due is when the next one begins
      } else if (now - due >= 0) {
        if (probe != null) {
          return "no answer to a heartbeat within " + opening.options.heartbeat();
        }
        if (!listeners.isWatched()) {
          return "nobody listens";
        }
        probe = probe(trackings);
        var unused = probe.whenComplete((reason, failure) -> heard.wake());
        due = now + heartbeat;
      }
      if (closed) {
        return "the storage was closed";
      }
      Inbox.Event event = heard.poll(due - now);
      if (event instanceof Inbox.Lost loss) {
        return loss.reason();
      } else if (event instanceof Inbox.Changed changed) {
        tell(changed.names());
      } else if (event instanceof Inbox.All) {
        listeners.changedAll();
      }
    }
  }

  /** What the first server says with which all is not well; null if it is with all of them. */
  private static CompletableFuture<@Nullable String> probe(List<Tracking> trackings) {
    CompletableFuture<@Nullable String> all = CompletableFuture.completedFuture(null);
    for (Tracking tracking : trackings) {
      all = all.thenCombine(tracking.probe(), (before, own) -> before == null ? own : before);
    }
    return all;
  }

  private static @Nullable String outcome(CompletableFuture<@Nullable String> probe) {
    return probe
        .handle(
            (reason, failure) ->
                failure == null ? reason : "a heartbeat failed, as its connection ended")
        .join();
  }

  private void tell(List<byte[]> names) {
    List<K> changed = new ArrayList<>(names.size());
    for (byte[] name : names) {
      switch (opening.layout.scope(name)) {
        case NONE -> {}
        case ONE -> decode(name, changed);
        case ALL -> {
          listeners.changedAll();
          return;
        }
      }
    }
    if (!changed.isEmpty()) {
      listeners.changed(changed);
    }
  }

  private void decode(byte[] name, List<K> into) {
    try {
      into.add(keys.decode(opening.layout.key(name)));
    } catch (RuntimeException e) {
      // The name is no key's, so it is another program's, and no object changed.
    }
  }

  /** Ends the subscriptions; the thread ends soon. */
  void close() {
    closed = true;
    inbox.wake();
    listeners.close();
  }
}

package io.latchkey.storage.testkit;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the commits of a storage and one listener of a {@link FaultyCommitFeed}. Events go
 * through a queue; whichever thread finds it unattended tells what may be told, without a lock, so
 * that no thread waits for another one's listener.
 */
final class CommitRelay<K> implements Subscription {
  /** What the listener is to be told; {@code keys} is null for what is not a commit. */
  private record Item<K>(
      @Nullable List<K> keys, long revision, Consumer<CommitListener<? super K>> telling) {}

  private final RevisionStorage<K, ?> storage;
  private final CommitListener<K> listener;
  private final Consumer<CommitRelay<K>> whenClosed;
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by the lock, as are all below. */
  private final Deque<Item<K>> queue = new ArrayDeque<>();

  /** Whose events count; those of the subscriptions before are ignored. */
  private @Nullable Inner inner;

  private @Nullable Subscription below;

  /** The last revision that the listener took. */
  private long position;

  /** Whether a thread is telling something. */
  private boolean attended;

  private boolean starting = true;
  private boolean connected = true;
  private boolean closed;

  /** After a failure of the listener: at the next commit the connection is made again. */
  private boolean failed;

  private boolean holding;
  private int credits;
  private int drops;
  private int repeats;
  private int splits;
  private boolean swapping;
  private @Nullable Item<K> swapped;
  private long epochShift;
  private @Nullable Random random;

  CommitRelay(
      RevisionStorage<K, ?> storage,
      CommitListener<K> listener,
      long from,
      Consumer<CommitRelay<K>> whenClosed) {
    this.storage = storage;
    this.listener = listener;
    this.position = from;
    this.whenClosed = whenClosed;
  }

  /** One subscription to the storage below. */
  private final class Inner implements CommitListener<K> {
    @Override
    public void committed(long epoch, long revision, Collection<? extends K> keys) {
      incoming(this, epoch, revision, List.copyOf(keys));
    }

    @Override
    public void lost(String reason) {
      passOn(this, new Item<>(null, 0, to -> to.lost(reason)));
    }

    @Override
    public void whole(long epoch, long head) {
      passOn(this, new Item<>(null, head, to -> to.whole(shifted(epoch), head)));
    }
  }

  private void locked(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  private long shifted(long epoch) {
    lock.lock();
    try {
      return epoch + epochShift;
    } finally {
      lock.unlock();
    }
  }

  /** Subscribes for the first time; what the listener throws meanwhile is thrown. */
  void begin() throws Exception {
    Inner fresh = new Inner();
    locked(() -> inner = fresh);
    Subscription subscription = storage.commits(position(), fresh);
    locked(
        () -> {
          // A listener that threw and was tried again may have a newer one by now.
          if (inner == fresh) {
            below = subscription;
          }
          starting = false;
        });
  }

  private void passOn(Inner from, Item<K> item) {
    locked(
        () -> {
          if (from == inner && connected) {
            queue.add(item);
          }
        });
    tell();
  }

  private void incoming(Inner from, long epoch, long revision, List<K> keys) {
    Runnable reaction = () -> {};
    lock.lock();
    try {
      if (from != inner) {
        return;
      }
      if (connected) {
        enqueue(epoch, revision, keys);
      }
      if (random != null && !attended) {
        reaction = decide(random);
      } else if (failed) {
        reaction = this::reconnect;
      }
    } finally {
      lock.unlock();
    }
    reaction.run();
    tell();
  }

  private void enqueue(long epoch, long revision, List<K> keys) {
    if (drops > 0) {
      drops--;
      return;
    }
    Item<K> item = item(epoch, revision, keys);
    if (repeats > 0) {
      repeats--;
      queue.add(item);
      queue.add(item);
    } else if (splits > 0) {
      splits--;
      int half = (keys.size() + 1) / 2;
      queue.add(item(epoch, revision, keys.subList(0, half)));
      queue.add(item(epoch, revision, keys.subList(half, keys.size())));
    } else if (swapping) {
      swapping = false;
      swapped = item;
    } else {
      queue.add(item);
      if (swapped != null) {
        queue.add(swapped);
        swapped = null;
      }
    }
  }

  private Item<K> item(long epoch, long revision, List<K> keys) {
    return new Item<>(keys, revision, to -> to.committed(shifted(epoch), revision, keys));
  }

  private Runnable decide(Random next) {
    int choice = next.nextInt(100);
    if (!connected) {
      return choice < 50 ? () -> {} : choice < 75 ? this::reconnect : this::reconnectAtHead;
    }
    if (choice < 60) {
      return this::releaseAll;
    }
    if (choice < 80) {
      return this::hold;
    }
    int portion = 1 + next.nextInt(3);
    return choice < 92 ? () -> release(portion) : () -> lose("the connection was lost at random");
  }

  /** Tells what may be told, unless another thread, or this one further out, is doing that. */
  private void tell() {
    int failures = 0;
    for (Item<K> next = take(); next != null; next = failures < 2 ? take() : null) {
      boolean taken = false;
      try {
        next.telling.accept(listener);
        taken = true;
      } catch (Throwable e) {
        if (isStarting()) {
          throw e;
        }
        failures++;
        recover(failures == 1);
      } finally {
        leave(next, taken);
      }
    }
  }

  /** The listener failed; what is to be told now is queued, and told by the loop further out. */
  private void recover(boolean atOnce) {
    disconnect("the listener failed");
    locked(() -> failed = true);
    if (atOnce) {
      reconnect();
    }
  }

  private boolean isStarting() {
    lock.lock();
    try {
      return starting;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Item<K> take() {
    lock.lock();
    try {
      Item<K> next = queue.peek();
      if (next == null || attended || closed) {
        return null;
      }
      if (next.keys != null && holding) {
        if (credits == 0) {
          return null;
        }
        credits--;
      }
      attended = true;
      return queue.remove();
    } finally {
      lock.unlock();
    }
  }

  private void leave(Item<K> item, boolean taken) {
    locked(
        () -> {
          attended = false;
          if (!taken) {
            return;
          }
          if (item.keys == null && item.revision > 0) {
            position = item.revision;
          } else {
            position = Math.max(position, item.revision);
          }
        });
  }

  void hold() {
    locked(
        () -> {
          holding = true;
          credits = 0;
        });
  }

  void release(int commits) {
    locked(
        () -> {
          holding = true;
          credits = commits;
        });
    tell();
    locked(() -> credits = 0);
  }

  void releaseAll() {
    locked(() -> holding = false);
    tell();
  }

  int held() {
    lock.lock();
    try {
      return (int) queue.stream().filter(item -> item.keys != null).count();
    } finally {
      lock.unlock();
    }
  }

  void lose(String reason) {
    disconnect(reason);
    tell();
  }

  private void disconnect(String reason) {
    locked(
        () -> {
          connected = false;
          queue.clear();
          swapped = null;
          queue.add(new Item<>(null, 0, to -> to.lost(reason)));
        });
  }

  void reconnect() {
    reconnect(position());
  }

  private long position() {
    lock.lock();
    try {
      return position;
    } finally {
      lock.unlock();
    }
  }

  void reconnectAtHead() {
    try {
      reconnect(storage.head());
    } catch (Exception e) {
      locked(() -> failed = true);
    }
  }

  /** Subscribes anew; if that fails, the next commit is the next occasion. */
  private void reconnect(long from) {
    Inner fresh = new Inner();
    if (!connect(fresh)) {
      return;
    }
    try {
      Subscription subscription = storage.commits(from, fresh);
      Subscription old = replaceBelow(fresh, subscription);
      if (old != null) {
        old.close();
      }
    } catch (Exception e) {
      lose("the connection could not be made: " + e.getMessage());
      locked(() -> failed = true);
    }
    tell();
  }

  private boolean connect(Inner fresh) {
    lock.lock();
    try {
      if (closed || connected) {
        return false;
      }
      inner = fresh;
      connected = true;
      failed = false;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the subscription that is not needed any more. */
  private @Nullable Subscription replaceBelow(Inner of, Subscription subscription) {
    lock.lock();
    try {
      if (closed || inner != of) {
        return subscription;
      }
      Subscription old = below;
      below = subscription;
      return old;
    } finally {
      lock.unlock();
    }
  }

  void drop(int commits) {
    locked(() -> drops += commits);
  }

  void repeat(int commits) {
    locked(() -> repeats += commits);
  }

  void split(int commits) {
    locked(() -> splits += commits);
  }

  void swap() {
    locked(() -> swapping = true);
  }

  void changeEpoch() {
    locked(() -> epochShift++);
  }

  void unsettle(long seed) {
    locked(() -> random = new Random(seed));
  }

  void settle() {
    locked(() -> random = null);
    reconnect();
    releaseAll();
  }

  @Override
  public void close() {
    Subscription last;
    lock.lock();
    try {
      closed = true;
      queue.clear();
      last = below;
      below = null;
    } finally {
      lock.unlock();
    }
    whenClosed.accept(this);
    if (last != null) {
      last.close();
    }
  }
}

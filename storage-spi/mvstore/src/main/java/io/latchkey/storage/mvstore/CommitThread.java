package io.latchkey.storage.mvstore;

import io.latchkey.storage.CommitFeed;
import io.latchkey.storage.StorageException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that writes. Callers queue their changes and wait; the thread takes all that are
 * queued, makes them and commits once, so that concurrent writes share the cost of a commit. Being
 * a thread of its own it cannot be interrupted by users, nor run out of their stacks.
 *
 * <p>When a commit fails, MVStore gives up. The thread then opens the file again, at the last
 * commit, before it tells the callers; reads meanwhile wait for it. Changes that shared a failed
 * commit are tried once more one by one, so that one that cannot be written fails alone.
 */
final class CommitThread implements Runnable {
  private static final System.Logger LOG = System.getLogger("io.latchkey.storage");

  /** How much is committed at once at most, in bytes, so that no commit takes for ever. */
  private static final long MAX_BATCH_BYTES = 16L << 20;

  /** After how many written bytes to look for garbage, and how many to rewrite at once. */
  private static final int COMPACT_BYTES = 4 << 20;

  private static final long SHRINK_NANOS = 2_000_000_000L;

  private final FileBytes bytes;
  private final String name;
  private final MvOptions options;
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when something is queued or the storage is to close. */
  private final Condition work = lock.newCondition();

  /** Signalled when the engine was replaced, given up or closed. */
  private final Condition replaced = lock.newCondition();

  /** Guarded by the lock. */
  private final Queue<Change> queue = new ArrayDeque<>();

  /** Signalled when a change is queued; only tests wait for it. */
  private final Condition queued = lock.newCondition();

  /** Guarded by the lock. */
  private boolean closing;

  /**
   * The engine to read from; null while the file cannot be opened again, and after the close.
   * Written by the thread itself, under the lock.
   */
  private volatile @Nullable Engine engine;

  /** Used by the thread itself. */
  private long writtenSinceCompaction;

  /** Which commits there are; takes them here, and is delivered by the threads that wait. */
  private final CommitFeed<byte[]> feed;

  /** The newest revision that is committed. */
  private volatile long head;

  CommitThread(FileBytes bytes, String name, MvOptions options, CommitFeed.Log<byte[]> log)
      throws StorageException {
    this.bytes = bytes;
    this.name = name;
    Engine first = Engine.open(bytes, name, options);
    this.engine = first;
    this.head = first.revisions().head();
    this.feed = new CommitFeed<>(first.revisions().epoch(), head, log);
    // What is recovered is the state from now on, and never to be fallen back behind.
    this.options = options.withRecover(false);
    this.thread = new Thread(this, "latchkey commits to " + name);
    thread.setDaemon(true);
    thread.start();
  }

  /** The engine to read from; opens the file again if that failed before. */
  Engine engine() throws StorageException {
    Engine current = engine;
    while (current == null) {
      write(Change.nothing());
      current = engine;
    }
    return current;
  }

  /** Whether this is still the engine to read from. */
  boolean isCurrent(Engine other) {
    return engine == other;
  }

  /** Waits until an engine that has failed is no longer the one to read from. */
  void awaitReplaced(Engine failed) {
    lock.lock();
    try {
      while (engine == failed) {
        replaced.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  long head() {
    return head;
  }

  CommitFeed<byte[]> feed() {
    return feed;
  }

  /** Queues the change and waits until it is committed. */
  Revisions.Applied write(Change change) throws StorageException {
    lock.lock();
    try {
      if (closing) {
        throw closed();
      }
      queue.add(change);
      work.signal();
      queued.signalAll();
    } finally {
      lock.unlock();
    }
    return change.await();
  }

  /** Waits until so many changes are queued behind the commit that is under way. */
  void awaitQueued(int changes) {
    lock.lock();
    try {
      while (queue.size() < changes) {
        queued.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private StorageException closed() {
    return new StorageException(name, name + " is closed: open it again", null, false);
  }

  /** Ends the thread after what is queued, and waits for it. */
  void close() {
    lock.lock();
    try {
      closing = true;
      work.signal();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void run() {
    try {
      for (List<Change> batch = next(); !batch.isEmpty(); batch = next()) {
        commitOrFail(batch);
        compactIfDue();
      }
    } finally {
      end();
    }
  }

  /** The next changes to commit together; empty when the storage is to close. */
  private List<Change> next() {
    List<Change> batch = new ArrayList<>();
    lock.lock();
    try {
      while (queue.isEmpty() && !closing) {
        work.awaitUninterruptibly();
      }
      long weight = 0;
      while (!queue.isEmpty() && weight < MAX_BATCH_BYTES) {
        Change change = queue.remove();
        weight += change.weight();
        batch.add(change);
      }
    } finally {
      lock.unlock();
    }
    return batch;
  }

  /** Lets no caller wait for ever, whatever is thrown. */
  private void commitOrFail(List<Change> batch) {
    try {
      commit(batch);
    } catch (Throwable e) {
      batch.forEach(change -> change.fail(failure(e)));
    }
  }

  private void commit(List<Change> batch) {
    try {
      Engine current = usableEngine();
      long before = current.bytesWritten();
      for (Change change : batch) {
        change.apply(current, feed.epoch(), options.history());
      }
      current.commit();
      writtenSinceCompaction += current.bytesWritten() - before;
    } catch (StorageException e) {
      batch.forEach(change -> change.fail(e));
      return;
    } catch (Throwable e) {
      replaceEngine();
      if (batch.size() == 1) {
        batch.get(0).fail(failure(e));
      } else {
        batch.forEach(change -> commit(List.of(change)));
      }
      return;
    }
    publish(batch);
    batch.forEach(Change::succeed);
  }

  private void publish(List<Change> batch) {
    for (Change change : batch) {
      if (change.revision() > 0) {
        head = change.revision();
        feed.committed(change.revision(), change.keys());
      }
    }
  }

  private StorageException failure(Throwable e) {
    return e instanceof MVStoreException known
        ? Engine.failure(name, "write to", known)
        : new StorageException(name, "cannot write to " + name + ": " + e, e, true);
  }

  private void compactIfDue() {
    if (writtenSinceCompaction < COMPACT_BYTES) {
      return;
    }
    writtenSinceCompaction = 0;
    try {
      Engine current = usableEngine();
      if (current.compact(COMPACT_BYTES)) {
        current.commit();
      }
    } catch (StorageException e) {
      // The next call meets the same and tells its caller.
      warn(name + " could not be opened again", e);
    } catch (Throwable e) {
      warn("Rewriting old parts of " + name + " failed; nothing is lost", e);
      replaceEngine();
    }
  }

  /** For what no caller is told; the trace is for who looks for it. */
  private static void warn(String what, Throwable e) {
    LOG.log(Level.WARNING, what + ": " + e);
    LOG.log(Level.DEBUG, what, e);
  }

  private Engine usableEngine() throws StorageException {
    Engine current = engine;
    if (current == null) {
      current = Engine.open(bytes, name, options);
      replaceEngine(current);
    }
    return current;
  }

  /** Puts a new engine, at the last commit, in the place of one that failed. */
  private void replaceEngine() {
    Engine failed = engine;
    if (failed != null) {
      failed.abandon();
    }
    Engine next = null;
    try {
      next = Engine.open(bytes, name, options);
    } catch (Throwable e) {
      // Tried again by the next call, which tells its caller.
      warn(name + " could not be opened again after a failure", e);
    } finally {
      replaceEngine(next);
    }
  }

  private void replaceEngine(@Nullable Engine next) {
    lock.lock();
    try {
      engine = next;
      replaced.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    List<Change> left;
    lock.lock();
    try {
      closing = true;
      left = List.copyOf(queue);
      queue.clear();
    } finally {
      lock.unlock();
    }
    left.forEach(change -> change.fail(closed()));
    Engine last = engine;
    replaceEngine(null);
    try {
      if (last != null) {
        last.revisions().forgetAll();
        last.close(SHRINK_NANOS);
        bytes.force();
      }
    } catch (Throwable e) {
      warn("Closing " + name + " failed; what was acknowledged is safe", e);
      last.abandon();
    } finally {
      bytes.close();
    }
  }
}

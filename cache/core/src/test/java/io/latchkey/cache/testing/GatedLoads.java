package io.latchkey.cache.testing;

import io.latchkey.storage.Storage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A storage each of whose loads waits until the test tells it how to end, and that counts what the
 * cache asks of it. Keys are told apart by {@code equals} alone.
 */
public final class GatedLoads<K, V> implements Storage<K, V> {
  /** What a waiting load does when its thread is interrupted. */
  public enum Interrupts {
    /** Throws {@link InterruptedException}, flag cleared, as blocking calls of the JDK do. */
    THROW,
    /** Waits on; the flag is set again when the load ends. */
    KEEP,
    /** Waits on; the flag is lost. */
    SWALLOW
  }

  /** One call of {@code load}. */
  public static final class Load<K, V> {
    private final K key;
    private final Thread thread = Thread.currentThread();
    private final CompletableFuture<Callable<? extends @Nullable V>> script =
        new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> left = new CompletableFuture<>();

    Load(K key) {
      this.key = key;
    }

    /** The key that is loaded. */
    public K key() {
      return key;
    }

    /** The thread that runs the load. */
    public Thread thread() {
      return thread;
    }

    /** Lets the load return this; null means absent. */
    public void returns(@Nullable V value) {
      runs(() -> value);
    }

    /** Lets the load throw this, checked or not. */
    public void fails(Throwable failure) {
      runs(() -> Sneaky.raise(failure));
    }

    /** Lets the load go on with this, in its own thread. */
    public void runs(Callable<? extends @Nullable V> rest) {
      if (!script.complete(rest)) {
        throw new AssertionError("the load of " + key + " was already told how to end");
      }
    }

    /** Waits until the storage's method has been left. */
    public void awaitLeft() {
      Patience.until("the load of " + key + " returns", left::isDone);
    }

    /** Whether the storage's method has been left. */
    public boolean left() {
      return left.isDone();
    }
  }

  private final Interrupts interrupts;
  private final List<Load<K, V>> unseen = new ArrayList<>();
  private final List<Load<K, V>> all = new ArrayList<>();
  private final Map<K, Integer> calls = new HashMap<>();
  private final Map<K, Integer> running = new HashMap<>();
  private final Map<K, Integer> overlap = new HashMap<>();
  private boolean open;

  /** Loads that throw {@link InterruptedException} when interrupted. */
  public GatedLoads() {
    this(Interrupts.THROW);
  }

  /** Loads that take interrupts this way. */
  public GatedLoads(Interrupts interrupts) {
    this.interrupts = interrupts;
  }

  @Override
  public @Nullable V load(K key) throws Exception {
    Load<K, V> load = new Load<>(key);
    synchronized (this) {
      all.add(load);
      if (open) {
        end(load);
      }
      unseen.add(load);
      calls.merge(key, 1, Integer::sum);
      int now = running.merge(key, 1, Integer::sum);
      overlap.merge(key, now, Math::max);
    }
    try {
      return script(load).call();
    } finally {
      synchronized (this) {
        running.merge(key, -1, Integer::sum);
      }
      load.left.complete(null);
    }
  }

  private Callable<? extends @Nullable V> script(Load<K, V> load) throws InterruptedException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return load.script.get();
        } catch (InterruptedException e) {
          if (interrupts == Interrupts.THROW) {
            throw e;
          }
          interrupted = interrupts == Interrupts.KEEP;
        } catch (ExecutionException e) {
          throw new AssertionError(e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The oldest load that was not asked for yet; waits until there is one. */
  public Load<K, V> next() {
    return take(null);
  }

  /** The oldest load of this key that was not asked for yet; waits until there is one. */
  public Load<K, V> next(K key) {
    return take(key);
  }

  /** The oldest load that was not asked for yet, null when there is none. */
  public synchronized @Nullable Load<K, V> poll() {
    return unseen.isEmpty() ? null : unseen.remove(0);
  }

  private Load<K, V> take(@Nullable K key) {
    Patience.until("a load of " + (key == null ? "any key" : key) + " begins", () -> has(key));
    synchronized (this) {
      for (Load<K, V> load : unseen) {
        if (key == null || load.key.equals(key)) {
          unseen.remove(load);
          return load;
        }
      }
    }
    throw new AssertionError("two threads of the test take loads at once");
  }

  private synchronized boolean has(@Nullable K key) {
    return unseen.stream().anyMatch(load -> key == null || load.key.equals(key));
  }

  /** How many loads began. */
  public synchronized int calls() {
    return all.size();
  }

  /** How many loads of this key began. */
  public synchronized int calls(K key) {
    return calls.getOrDefault(key, 0);
  }

  /** How many loads of this key run now. */
  public synchronized int running(K key) {
    return running.getOrDefault(key, 0);
  }

  /** The most loads of this key that ever ran at once. */
  public synchronized int overlap(K key) {
    return overlap.getOrDefault(key, 0);
  }

  /** Lets every load that still waits fail, and every later one too: the end of a test. */
  public synchronized void release() {
    open = true;
    all.forEach(this::end);
  }

  private void end(Load<K, V> load) {
    load.script.complete(() -> Sneaky.raise(new IllegalStateException("the test is over")));
  }

  @Override
  public String name() {
    return "gated";
  }
}

package io.latchkey.storage.testkit;

import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A storage whose loads block until the test lets them go, so that a test can put any other call
 * before, between and after them without sleeping.
 *
 * <pre>{@code
 * GatedStorage<String, String> storage = new GatedStorage<>();
 * Cache<String, String> cache = Cache.over(storage).build();
 * Future<String> caller = executor.submit(() -> cache.get("k"));
 * storage.await("k"); // the load has begun and is held
 * cache.invalidate("k");
 * storage.release("k", "old"); // now it ends
 * }</pre>
 *
 * <p>Several loads of one key may be held at once (one flight detached, the next one begun). {@link
 * #release}, {@link #releaseAbsent}, {@link #fail} and {@link #pass} take the oldest that is held;
 * to end them in another order keep the {@link GatedCall}s that {@link #await(Object, int)} gives.
 * All methods that name a key wait for a load of it, so that no {@code await} is needed before
 * {@code release}; after {@link #patience} (30 seconds unless told) they fail with an {@code
 * AssertionError} that lists the calls so far. They never return early and never sleep.
 *
 * <p>It has no {@code loadAll} of its own: {@link GatedBulkStorage} does. It cannot be written:
 * {@link GatedWritableStorage} can. {@link #close} is only counted; it lets nothing go.
 * Thread-safe.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public class GatedStorage<K, V> implements Storage<K, V> {
  private final Gate<K, V> loads = new Gate<>("load");
  private final ConcurrentMap<K, V> contents = new ConcurrentHashMap<>();
  private final Set<K> openKeys = ConcurrentHashMap.newKeySet();
  private final AtomicInteger closes = new AtomicInteger();
  private volatile boolean open;
  private volatile Duration patience = Duration.ofSeconds(30);
  private volatile @Nullable Function<InterruptedException, ? extends Throwable> onInterrupt =
      interrupt -> interrupt;

  /** A storage without objects, all of whose loads are held. */
  public GatedStorage() {}

  @Override
  public @Nullable V load(K key) throws Exception {
    Objects.requireNonNull(key, "key");
    if (open || openKeys.contains(key)) {
      loads.pass(Set.of(key));
      return contents.get(key);
    }
    return hold(loads, Set.of(key)).call();
  }

  /** Holds a call under the storage's rule for interrupts. */
  final <R> Callable<? extends @Nullable R> hold(Gate<K, R> gate, Set<K> keys) {
    Function<InterruptedException, ? extends Throwable> rule = onInterrupt;
    try {
      return gate.hold(keys, rule != null);
    } catch (InterruptedException e) {
      throw Sneaky.raise(rule == null ? e : rule.apply(e));
    }
  }

  /**
   * Waits until a load of the key is held.
   *
   * @param key the key
   * @return the oldest held load of the key
   */
  public GatedCall<K, V> await(K key) {
    Objects.requireNonNull(key, "key");
    return loads.awaitHeld(keys -> keys.contains(key), String.valueOf(key), patience);
  }

  /**
   * Waits until the nth load of the key has begun.
   *
   * @param key the key
   * @param nth which of all loads of the key so far, from 1; those that have ended count
   * @return that load
   * @throws IllegalArgumentException if {@code nth} is below 1
   */
  public GatedCall<K, V> await(K key, int nth) {
    Objects.requireNonNull(key, "key");
    return loads.awaitNth(keys -> keys.contains(key), nth, key + " (number " + nth + ")", patience);
  }

  /**
   * Waits for a load of the key and lets it return this object.
   *
   * @param key the key
   * @param value the object
   */
  public void release(K key, V value) {
    await(key).release(Objects.requireNonNull(value, "value"));
  }

  /**
   * Waits for a load of the key and lets it return null: there is no such object.
   *
   * @param key the key
   */
  public void releaseAbsent(K key) {
    await(key).release(null);
  }

  /**
   * Waits for a load of the key and lets it return what {@link #contents()} holds when it leaves.
   *
   * @param key the key
   */
  public void pass(K key) {
    await(key).run(() -> contents.get(key));
  }

  /**
   * Waits for a load of the key and lets it throw.
   *
   * @param key the key
   * @param failure thrown as it is, checked or not
   */
  public void fail(K key, Throwable failure) {
    await(key).fail(Objects.requireNonNull(failure, "failure"));
  }

  /**
   * Lets every held call fail, for the end of a test; what comes later is held as before.
   *
   * @param failure thrown as it is
   */
  public void failHeld(Throwable failure) {
    loads.failHeld(Objects.requireNonNull(failure, "failure"));
  }

  /**
   * From now on all loads of all keys pass the gate at once, answered from {@link #contents()};
   * loads that are held stay held.
   */
  public void open() {
    open = true;
  }

  /**
   * From now on loads of the key pass the gate at once, answered from {@link #contents()}; loads
   * that are held stay held.
   *
   * @param key the key
   */
  public void open(K key) {
    openKeys.add(Objects.requireNonNull(key, "key"));
  }

  /**
   * Puts the object into {@link #contents()} and lets later loads of the key pass the gate.
   *
   * @param key the key
   * @param value the object
   */
  public void open(K key, V value) {
    contents.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
    open(key);
  }

  /** Undoes every {@code open}: later loads are held again. */
  public void shut() {
    open = false;
    openKeys.clear();
  }

  /**
   * What the loads that {@link #pass} and {@code open} let through are answered from.
   *
   * @return the live map
   */
  public ConcurrentMap<K, V> contents() {
    return contents;
  }

  /**
   * The number of loads of the key that have begun, those that have ended included.
   *
   * @param key the key
   * @return the number
   */
  public int loads(K key) {
    return loads.calls(call -> call.keys().contains(key)).size();
  }

  /**
   * The number of loads of any key that have begun, those that have ended included.
   *
   * @return the number
   */
  public int loads() {
    return loads.calls(call -> true).size();
  }

  /**
   * The number of loads that are held.
   *
   * @return the number
   */
  public int loadsUnderWay() {
    return loads.calls(GatedCall::isHeld).size();
  }

  /**
   * The number of loads of the key that are held.
   *
   * @param key the key
   * @return the number
   */
  public int loadsUnderWay(K key) {
    return loads.calls(call -> call.isHeld() && call.keys().contains(key)).size();
  }

  /**
   * Held calls do not notice interrupts; one that was interrupted returns with the flag set.
   *
   * @return this storage
   */
  public GatedStorage<K, V> ignoringInterrupts() {
    onInterrupt = null;
    return this;
  }

  /**
   * A held call that is interrupted throws what this makes of the interrupt, in place of the {@code
   * InterruptedException} that it throws unless told. The flag of the thread is then clear; the
   * function runs on that thread and may set it.
   *
   * @param failure makes the failure, for example {@code e -> new ClosedByInterruptException()}
   * @return this storage
   */
  public GatedStorage<K, V> interruptedAs(
      Function<InterruptedException, ? extends Throwable> failure) {
    onInterrupt = Objects.requireNonNull(failure, "failure");
    return this;
  }

  /**
   * Sets how long the waiting methods wait before they fail.
   *
   * @param limit the limit
   * @return this storage
   */
  public GatedStorage<K, V> patience(Duration limit) {
    patience = Objects.requireNonNull(limit, "limit");
    return this;
  }

  /** How long the waiting methods wait. */
  final Duration patience() {
    return patience;
  }

  /**
   * How often {@link #close} was called.
   *
   * @return the number
   */
  public int closes() {
    return closes.get();
  }

  @Override
  public void close() {
    closes.incrementAndGet();
  }
}

package io.latchkey.storage.testkit;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A {@link GatedStorage} with a {@code loadAll} of its own, held as a whole: one call, one release.
 * Loads of single keys are held as before, and are counted apart. After {@link #open()} bulk loads
 * pass too, answered from {@link #contents()}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public class GatedBulkStorage<K, V> extends GatedStorage<K, V> {
  private final Gate<K, Map<K, V>> bulks = new Gate<>("bulk load");
  private volatile boolean open;

  /** A storage without objects, all of whose loads are held. */
  public GatedBulkStorage() {}

  /**
   * {@inheritDoc}
   *
   * <p>Returns the map that the test gave as it is, null included.
   */
  @Override
  @SuppressWarnings("NullAway") // a test may make it return null, which the contract forbids
  public Map<K, V> loadAll(Set<? extends K> keys) throws Exception {
    Set<K> copy = Collections.unmodifiableSet(new LinkedHashSet<>(keys));
    if (open) {
      bulks.pass(copy);
      return found(copy);
    }
    Callable<? extends @Nullable Map<K, V>> ending = hold(bulks, copy);
    return ending.call();
  }

  /**
   * Waits until a bulk load is held.
   *
   * @return the oldest that is held
   */
  public GatedCall<K, Map<K, V>> awaitBulk() {
    return bulks.awaitHeld(keys -> true, "any keys", patience());
  }

  /**
   * Waits until a bulk load with this key among its keys is held.
   *
   * @param key the key
   * @return the oldest that is held
   */
  public GatedCall<K, Map<K, V>> awaitBulk(K key) {
    Objects.requireNonNull(key, "key");
    return bulks.awaitHeld(keys -> keys.contains(key), String.valueOf(key), patience());
  }

  /**
   * Waits for a bulk load and lets it return this map.
   *
   * @param result returned as it is
   */
  public void releaseBulk(Map<K, V> result) {
    awaitBulk().release(result);
  }

  /** Waits for a bulk load and lets it return what {@link #contents()} has of its keys. */
  public void passBulk() {
    GatedCall<K, Map<K, V>> call = awaitBulk();
    call.run(() -> found(call.keys()));
  }

  /**
   * Waits for a bulk load and lets it throw.
   *
   * @param failure thrown as it is, checked or not
   */
  public void failBulk(Throwable failure) {
    awaitBulk().fail(Objects.requireNonNull(failure, "failure"));
  }

  /**
   * The key sets of all bulk loads that have begun, in their order.
   *
   * @return one set for each
   */
  public List<Set<K>> bulkLoads() {
    return bulks.calls(call -> true).stream().map(GatedCall::keys).toList();
  }

  /**
   * The number of bulk loads that are held.
   *
   * @return the number
   */
  public int bulkLoadsUnderWay() {
    return bulks.calls(GatedCall::isHeld).size();
  }

  @Override
  public void open() {
    super.open();
    open = true;
  }

  @Override
  public void shut() {
    super.shut();
    open = false;
  }

  @Override
  public void failHeld(Throwable failure) {
    super.failHeld(failure);
    bulks.failHeld(failure);
  }

  private Map<K, V> found(Set<K> keys) {
    Map<K, V> found = new LinkedHashMap<>();
    for (K key : keys) {
      V value = contents().get(key);
      if (value != null) {
        found.put(key, value);
      }
    }
    return found;
  }
}

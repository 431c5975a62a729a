package io.latchkey.storage.testkit;

import io.latchkey.storage.WritableStorage;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A {@link GatedStorage} that can be written. Writes change {@link #contents()} and pass at once
 * until {@link #gateWrites} is called; then each store and delete is held before its effect.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public class GatedWritableStorage<K, V> extends GatedStorage<K, V>
    implements WritableStorage<K, V> {
  private final Gate<K, Void> writes = new Gate<>("write");
  private volatile boolean gated;

  /** A storage without objects, all of whose loads are held and whose writes pass. */
  public GatedWritableStorage() {}

  /** From now on writes are held. */
  public void gateWrites() {
    gated = true;
  }

  /** From now on writes pass; those that are held stay held. */
  public void openWrites() {
    gated = false;
  }

  @Override
  public void store(K key, V value) throws Exception {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    write(key, () -> contents().put(key, value));
  }

  @Override
  public void delete(K key) throws Exception {
    Objects.requireNonNull(key, "key");
    write(key, () -> contents().remove(key));
  }

  private void write(K key, Runnable effect) throws Exception {
    if (gated) {
      Callable<? extends @Nullable Void> ending = hold(writes, Set.of(key));
      ending.call();
    } else {
      writes.pass(Set.of(key));
    }
    effect.run();
  }

  /**
   * Waits until a write of the key is held.
   *
   * @param key the key
   * @return the oldest held write of the key; its {@code release(null)} lets it take effect
   */
  public GatedCall<K, Void> awaitWrite(K key) {
    Objects.requireNonNull(key, "key");
    return writes.awaitHeld(keys -> keys.contains(key), String.valueOf(key), patience());
  }

  /**
   * Waits for a write of the key and lets it take effect and return.
   *
   * @param key the key
   */
  public void releaseWrite(K key) {
    awaitWrite(key).release(null);
  }

  /**
   * Waits for a write of the key and lets it throw, without effect.
   *
   * @param key the key
   * @param failure thrown as it is, checked or not
   */
  public void failWrite(K key, Throwable failure) {
    awaitWrite(key).fail(Objects.requireNonNull(failure, "failure"));
  }

  /**
   * Waits for a write of the key and lets it take effect and then throw: the caller cannot know
   * that it was done.
   *
   * @param key the key
   * @param effect the change of {@link #contents()} that the write was to make
   * @param failure thrown as it is, checked or not
   */
  public void failWriteAfter(K key, Runnable effect, Throwable failure) {
    awaitWrite(key)
        .run(
            () -> {
              effect.run();
              throw Sneaky.raise(failure);
            });
  }

  /**
   * The keys of all writes that have begun, in their order.
   *
   * @return one key for each write
   */
  public List<K> writes() {
    return writes.calls(call -> true).stream().flatMap(call -> call.keys().stream()).toList();
  }

  /**
   * The number of writes that are held.
   *
   * @return the number
   */
  public int writesUnderWay() {
    return writes.calls(GatedCall::isHeld).size();
  }

  @Override
  public void failHeld(Throwable failure) {
    super.failHeld(failure);
    writes.failHeld(failure);
  }
}

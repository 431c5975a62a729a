package io.latchkey.storage.testkit;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong in one call of a {@link FaultyStorage}. Immutable, and may be used for any number
 * of calls.
 *
 * @param <R> what the call returns: the object of a load, the map of a bulk load, anything for a
 *     write
 */
public final class Fault<R> {
  /** Makes or spoils the call. */
  interface Action<R> {
    @Nullable R run(Callable<? extends @Nullable R> call, CountDownLatch release) throws Exception;
  }

  private final String name;
  private final Action<R> action;

  private Fault(String name, Action<R> action) {
    this.name = name;
    this.action = action;
  }

  /** Makes the call with this fault; the latch ends hangs. */
  @Nullable R apply(Callable<? extends @Nullable R> call, CountDownLatch release) throws Exception {
    return action.run(call, release);
  }

  /**
   * Nothing goes wrong; for calls between faulty ones.
   *
   * @param <R> what the call returns
   * @return the fault
   */
  public static <R> Fault<R> none() {
    return new Fault<>("none", (call, release) -> call.call());
  }

  /**
   * The call throws and has no effect.
   *
   * @param failure thrown as it is, checked or not
   * @param <R> what the call returns
   * @return the fault
   */
  public static <R> Fault<R> fail(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return new Fault<>(
        "fail with " + failure,
        (call, release) -> {
          throw Sneaky.raise(failure);
        });
  }

  /**
   * The call has its effect and then throws, so that its caller cannot know that it was done.
   *
   * @param failure thrown as it is, checked or not
   * @param <R> what the call returns
   * @return the fault
   */
  public static <R> Fault<R> failAfter(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return new Fault<>(
        "do it and fail with " + failure,
        (call, release) -> {
          call.call();
          throw Sneaky.raise(failure);
        });
  }

  /**
   * The call is made this much later, or at the end of the hangs if that comes first; an interrupt
   * ends it with an {@code InterruptedException}.
   *
   * @param time how long
   * @param <R> what the call returns
   * @return the fault
   */
  public static <R> Fault<R> delay(Duration time) {
    Objects.requireNonNull(time, "time");
    return new Fault<>(
        "delay by " + time,
        (call, release) -> {
          // Whether the time passed or the hangs were ended does not matter.
          var unused = release.await(time.toNanos(), TimeUnit.NANOSECONDS);
          return call.call();
        });
  }

  /**
   * The call hangs until {@link FaultyStorage#releaseHangs} or {@link FaultyStorage#close}, and is
   * made then; an interrupt ends it with an {@code InterruptedException}.
   *
   * @param <R> what the call returns
   * @return the fault
   */
  public static <R> Fault<R> hang() {
    return new Fault<>(
        "hang",
        (call, release) -> {
          release.await();
          return call.call();
        });
  }

  /**
   * The call is made, and its result exchanged for another one.
   *
   * @param change makes the result that is returned
   * @param <R> what the call returns
   * @return the fault
   */
  public static <R> Fault<R> change(UnaryOperator<@Nullable R> change) {
    Objects.requireNonNull(change, "change");
    return new Fault<>("change the result", (call, release) -> change.apply(call.call()));
  }

  /**
   * A bulk load returns null in place of a map.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the fault
   */
  public static <K, V> Fault<Map<K, V>> nullMap() {
    return new Fault<>("return no map", (call, release) -> null);
  }

  /**
   * A bulk load leaves objects out that are there.
   *
   * @param keys the keys that are missing from the result
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the fault
   */
  public static <K, V> Fault<Map<K, V>> omit(Collection<? extends K> keys) {
    Set<K> omitted = Set.copyOf(keys);
    return changeMap(found -> found.keySet().removeAll(omitted));
  }

  /**
   * A bulk load returns objects that were not asked for.
   *
   * @param extras what is added to the result
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the fault
   */
  public static <K, V> Fault<Map<K, V>> add(Map<K, V> extras) {
    Map<K, V> added = Map.copyOf(extras);
    return changeMap(found -> found.putAll(added));
  }

  /**
   * A bulk load maps keys to null.
   *
   * @param keys the keys, asked for or not
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the fault
   */
  @SuppressWarnings("NullAway") // the contract forbids null values, which is the point
  public static <K, V> Fault<Map<K, V>> nullValues(Collection<? extends K> keys) {
    Set<K> nulled = Set.copyOf(keys);
    return changeMap(found -> nulled.forEach(key -> found.put(key, null)));
  }

  /**
   * A bulk load returns a map that counts and lists every entry twice.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the fault
   */
  public static <K, V> Fault<Map<K, V>> repeat() {
    return change(found -> found == null ? null : SpoiledMap.repeating(found));
  }

  /**
   * A bulk load returns a map that throws when it is read further than this.
   *
   * @param entries how many entries can be read
   * @param failure thrown as it is, checked or not
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the fault
   */
  public static <K, V> Fault<Map<K, V>> breakAfter(int entries, Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    return change(found -> found == null ? null : SpoiledMap.breaking(found, entries, failure));
  }

  private static <K, V> Fault<Map<K, V>> changeMap(Consumer<Map<K, V>> change) {
    return change(
        found -> {
          Map<K, V> changed = found == null ? new LinkedHashMap<>() : new LinkedHashMap<>(found);
          change.accept(changed);
          return changed;
        });
  }

  @Override
  public String toString() {
    return name;
  }
}

package io.latchkey.storage;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A source of objects by key. One abstract method, so that a lambda is a storage:
 *
 * <pre>{@code
 * Storage<Long, String> users = id -> client.fetchName(id);
 * }</pre>
 *
 * <p>What else a storage can do is told by the interfaces that it implements: {@link
 * WritableStorage}, {@link WatchableStorage}, {@link RevisionStorage}, {@link AsyncStorage}. Users
 * test for them with {@code instanceof}.
 *
 * <p><b>Threads.</b> A storage is called by many threads at once, also for one key, and must be
 * safe for that. It is called with no lock of the cache held, on the thread of the caller or on an
 * executor's, possibly a virtual one. An interrupt of one of these threads may end that thread's
 * call; it must not damage the storage for others.
 *
 * <p><b>Failures.</b> A call may throw anything; what it throws reaches the user of the cache as
 * the cause of the cache's exception. Backends throw {@link StorageException}, which says what
 * failed and whether a repetition may help. A failure of one call leaves the storage usable for the
 * next.
 *
 * <p><b>Cost.</b> One call is expected to be one round trip to the store.
 *
 * @param <K> the type of the keys, with {@code equals} and {@code hashCode} by content
 * @param <V> the type of the objects
 */
@FunctionalInterface
public interface Storage<K, V> extends AutoCloseable {
  /**
   * Loads one object.
   *
   * @param key the key
   * @return the object, or null if the storage has none under this key
   * @throws NullPointerException if the key is null
   * @throws InterruptedException if the calling thread was interrupted and the storage gave up
   * @throws Exception if the object could not be read; it may or may not exist
   */
  @Nullable V load(K key) throws Exception;

  /**
   * Loads several objects. This default calls {@link #load} once for each key, in the order of the
   * set; a storage that can fetch many in one round trip overrides it.
   *
   * @param keys the keys; an empty set gives an empty map
   * @return a map of the objects found, by the keys asked for; what is missing from it is absent.
   *     No null keys or values, nothing that was not asked for
   * @throws NullPointerException if the set or a key is null
   * @throws InterruptedException if the calling thread was interrupted and the storage gave up
   * @throws Exception if any of the objects could not be read; the others are then not returned
   */
  default Map<K, V> loadAll(Set<? extends K> keys) throws Exception {
    Objects.requireNonNull(keys, "keys");
    Map<K, V> found = new LinkedHashMap<>();
    for (K key : keys) {
      V value = load(key);
      if (value != null) {
        found.put(key, value);
      }
    }
    return found;
  }

  /**
   * The name that messages and metrics use: the simple name of the class unless overridden, for a
   * lambda that of the class it stands in. Backends return the URL that they were opened by,
   * credentials removed ({@link StorageUrl#redact}). Constant, and also answered after {@link
   * #close}.
   *
   * @return the name, not empty, without credentials
   */
  default String name() {
    String simple = getClass().getSimpleName();
    int lambda = simple.indexOf("$$Lambda");
    if (lambda > 0) {
      return simple.substring(0, lambda) + " lambda"; // what follows differs from run to run
    }
    if (!simple.isEmpty()) {
      return simple;
    }
    // An anonymous class has no simple name.
    String full = getClass().getName();
    return full.substring(full.lastIndexOf('.') + 1);
  }

  /**
   * Releases what the storage holds: connections, files, threads. This default does nothing. A
   * storage that holds something lets calls that are under way end or fail, fails later calls with
   * a {@link StorageException} that says so, and does nothing at a second close.
   */
  @Override
  default void close() {}
}

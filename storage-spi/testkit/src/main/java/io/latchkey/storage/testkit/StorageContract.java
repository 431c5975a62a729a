package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of the storages as a JUnit suite, for authors of backends. Extend it, say how a
 * storage is opened and what its keys and objects look like, and all tests that apply are run:
 *
 * <pre>{@code
 * class MemoryContractTest extends StorageContract<String, String> {
 *   @Override
 *   protected Storage<String, String> open() throws Exception {
 *     return Storages.open("memory:", Codec.utf8(), Codec.utf8());
 *   }
 *
 *   @Override
 *   protected String key(int number) {
 *     return "key" + number;
 *   }
 *
 *   @Override
 *   protected String value(int number) {
 *     return "value" + number;
 *   }
 * }
 * }</pre>
 *
 * <p>The capabilities of the storage, told by its interfaces, decide which tests there are; a
 * storage that cannot be written and whose {@link #put} is not overridden gets only those that need
 * no objects. Each test opens a storage of its own and closes it. Override {@link #oddKeys}, {@link
 * #oddValues} and {@link #reopen} to have more of them.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public abstract class StorageContract<K, V> {
  /** For the suites of backends. */
  protected StorageContract() {}

  /**
   * Opens a storage without objects that has nothing to do with those opened before.
   *
   * @return an open storage; the suite closes it
   * @throws Exception if it cannot be opened, which fails the test
   */
  protected abstract Storage<K, V> open() throws Exception;

  /**
   * Makes a key.
   *
   * @param number from 0 to some thousands
   * @return equal keys for equal numbers, different ones for different numbers
   */
  protected abstract K key(int number);

  /**
   * Makes an object.
   *
   * @param number from 0 to some thousands
   * @return equal objects for equal numbers, different ones for different numbers
   */
  protected abstract V value(int number);

  /**
   * Keys at the edges of what the storage takes: the empty one, very long ones, zero bytes.
   *
   * @return the keys, all different; none unless overridden
   */
  protected List<K> oddKeys() {
    return List.of();
  }

  /**
   * Objects at the edges of what the storage takes: an empty one, one of a megabyte.
   *
   * @return the objects; none unless overridden
   */
  protected List<V> oddValues() {
    return List.of();
  }

  /**
   * Opens the storage that was opened and closed last again, with its objects. Overridden for
   * storages whose objects outlive a close.
   *
   * @return an open storage, or null, as it is unless overridden, if there is no such thing
   * @throws Exception if it cannot be opened, which fails the test
   */
  protected @Nullable Storage<K, V> reopen() throws Exception {
    return null;
  }

  /**
   * Puts an object into a storage. Overridden for storages that cannot be written, by what fills
   * them.
   *
   * @param storage an open storage
   * @param key a key
   * @param value an object
   * @throws Exception if it failed
   */
  protected void put(Storage<K, V> storage, K key, V value) throws Exception {
    ((WritableStorage<K, V>) storage).store(key, value);
  }

  /**
   * Whether {@link #put} works for storages that are not {@link WritableStorage}s.
   *
   * @return true if put is overridden so; false unless overridden
   */
  protected boolean canPut() {
    return false;
  }

  /**
   * Whether a closed storage fails its calls. One that holds nothing that can be closed need not.
   *
   * @return true unless overridden
   */
  protected boolean failsWhenClosed() {
    return true;
  }

  /**
   * Whether the feed tells a change on the thread that makes it, before the write returns, as a
   * storage in this process does, and tells {@code whole} before {@code watch} returns.
   *
   * @return true if so; false unless overridden
   */
  protected boolean tellsOnTheWritingThread() {
    return false;
  }

  /**
   * How long the suite waits for an event or a thread before it fails.
   *
   * @return 30 seconds unless overridden
   */
  protected Duration patience() {
    return Duration.ofSeconds(30);
  }

  /**
   * Compares what was loaded with what was stored.
   *
   * @param actual what was loaded, null if nothing was
   * @param expected what was stored
   */
  protected void assertSame(@Nullable V actual, V expected) {
    assertThat(actual).isEqualTo(expected);
  }

  /**
   * The tests that apply to the storage.
   *
   * @return a container for each capability
   * @throws Exception if a storage cannot be opened to look at its capabilities
   */
  @TestFactory
  public final List<DynamicNode> contract() throws Exception {
    List<DynamicNode> tests = new ArrayList<>();
    try (Storage<K, V> sample = open()) {
      boolean writable = sample instanceof WritableStorage;
      boolean filled = writable || canPut();
      tests.add(container("Storage", new ReadChecks<>(this).checks(filled)));
      if (writable) {
        tests.add(container("WritableStorage", new WriteChecks<>(this).checks()));
      }
      if (sample instanceof WatchableStorage) {
        tests.add(container("WatchableStorage", new FeedChecks<>(this).checks(writable)));
      }
      if (sample instanceof AsyncStorage) {
        tests.add(container("AsyncStorage", new AsyncChecks<>(this).checks(filled)));
      }
      tests.add(container("close", new CloseChecks<>(this).checks(sample, filled)));
    }
    Storage<K, V> again = reopen();
    if (again != null) {
      again.close();
      tests.add(container("reopening", new ReopenChecks<>(this).checks()));
    }
    return tests;
  }

  private static DynamicNode container(String name, CheckList<?, ?> checks) {
    return DynamicContainer.dynamicContainer(name, checks.tests());
  }
}

package io.latchkey.storage.testkit;

import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.WritableStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of the storages of revisions as a JUnit suite, for authors of backends; what {@link
 * StorageContract} asks of all storages is part of it. Extend it as that one:
 *
 * <pre>{@code
 * class PlainRevisionContractTest extends RevisionContract<String, String> {
 *   @Override
 *   protected RevisionStorage<String, String> open() throws Exception {
 *     return MemoryStorage.create();
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
 * <p>Override {@link #openWithHistory} and {@link #reopen} to have more tests.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public abstract class RevisionContract<K, V> extends StorageContract<K, V> {
  /** For the suites of backends. */
  protected RevisionContract() {}

  /**
   * {@inheritDoc}
   *
   * <p>It keeps the revisions before at least the last 1,000 commits.
   */
  @Override
  protected abstract RevisionStorage<K, V> open() throws Exception;

  /**
   * Opens a storage without objects that forgets old revisions. Overridden for storages that can be
   * told when.
   *
   * @param commits before how many of the last commits it can be read
   * @return an open storage, or null, as it is unless overridden, if there is no such thing
   * @throws Exception if it cannot be opened, which fails the test
   */
  protected @Nullable RevisionStorage<K, V> openWithHistory(int commits) throws Exception {
    return null;
  }

  @Override
  protected @Nullable RevisionStorage<K, V> reopen() throws Exception {
    return null;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Commits the object if the storage is not a {@link WritableStorage}.
   */
  @Override
  protected void put(Storage<K, V> storage, K key, V value) throws Exception {
    if (storage instanceof WritableStorage) {
      super.put(storage, key, value);
    } else {
      RevisionStorage<K, V> revisions = (RevisionStorage<K, V>) storage;
      revisions.commit(Map.of(key, Optional.of(value)), revisions.head());
    }
  }

  @Override
  protected boolean canPut() {
    return true;
  }

  /**
   * The tests that storages of revisions have besides those of all storages.
   *
   * @return a container for each part of the contract
   * @throws Exception if a storage cannot be opened to see which tests apply
   */
  @TestFactory
  public final List<DynamicNode> revisions() throws Exception {
    List<DynamicNode> tests = new ArrayList<>();
    boolean writable;
    try (RevisionStorage<K, V> sample = open()) {
      writable = sample instanceof WritableStorage;
    }
    tests.add(container("loadAt", new RevisionChecks<>(this).checks()));
    tests.add(container("commit", new CommitChecks<>(this).checks(writable)));
    tests.add(container("commits", new CommitFeedChecks<>(this).checks(writable)));
    RevisionStorage<K, V> forgetful = openWithHistory(3);
    if (forgetful != null) {
      forgetful.close();
    }
    open().close();
    RevisionStorage<K, V> again = reopen();
    if (again != null) {
      again.close();
    }
    tests.add(
        container("history", new HistoryChecks<>(this).checks(forgetful != null, again != null)));
    return tests;
  }

  private static DynamicNode container(String name, CheckList<?, ?> checks) {
    return DynamicContainer.dynamicContainer(name, checks.tests());
  }
}

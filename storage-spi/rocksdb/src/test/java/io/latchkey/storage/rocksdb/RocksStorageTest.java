package io.latchkey.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.Revision;
import io.latchkey.storage.SnapshotTooOldException;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.CommitRecorder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is special to the storage in a folder; the rest is in the contract suite. */
class RocksStorageTest {
  private static final Codec<String> TEXT = Codec.utf8();

  @TempDir private Path directory;
  private Path folder;

  @BeforeEach
  void nameTheFolder() {
    folder = directory.resolve("objects");
  }

  private RocksStorage<String, String> open(int history) throws Exception {
    return RocksStorage.open(folder, TEXT, TEXT, RocksOptions.defaults().withHistory(history));
  }

  @Test
  void theExampleOfTheDocumentationRuns() throws Exception {
    try (RocksStorage<Long, String> users =
        RocksStorage.open(folder, Codec.int64(), Codec.utf8())) {
      users.store(1L, "Ada");
    }
    try (RocksStorage<Long, String> users =
        RocksStorage.open(folder, Codec.int64(), Codec.utf8())) {
      assertThat(users.load(1L)).isEqualTo("Ada");
    }
  }

  @Test
  void opensByUrlWithOptions() throws Exception {
    Path odd = Files.createDirectory(directory.resolve("a b#cü"));
    String url =
        "rocksdb:"
            + odd
            + "?sync=true&columnFamily=eu&history=7&cacheMegabytes=2&writeBufferMegabytes=3";
    try (Storage<String, String> storage = Storages.open(url, TEXT, TEXT)) {
      assertThat(storage.name()).isEqualTo("rocksdb:" + odd);
      ((RocksStorage<String, String>) storage).store("k", "v");
    }
    RocksOptions eu = RocksOptions.defaults().withColumnFamily("eu");
    try (RocksStorage<String, String> storage = RocksStorage.open(odd, TEXT, TEXT, eu)) {
      assertThat(storage.load("k")).isEqualTo("v");
    }
  }

  @Test
  void columnFamiliesHaveObjectsAndRevisionsOfTheirOwn() throws Exception {
    RocksOptions eu = RocksOptions.defaults().withColumnFamily("eu");
    RocksOptions us = RocksOptions.defaults().withColumnFamily("us");
    for (int round = 1; round <= 2; round++) {
      try (RocksStorage<String, String> storage = RocksStorage.open(folder, TEXT, TEXT, eu)) {
        storage.store("k", "eu" + round);
        assertThat(storage.head()).isEqualTo(round);
      }
    }
    try (RocksStorage<String, String> storage = RocksStorage.open(folder, TEXT, TEXT, us)) {
      assertThat(storage.head()).isZero();
      assertThat(storage.load("k")).isNull();
      storage.store("k", "us");
    }
    try (RocksStorage<String, String> storage = RocksStorage.open(folder, TEXT, TEXT, eu)) {
      assertThat(storage.load("k")).isEqualTo("eu2");
      assertThat(storage.loadAt("k", 1).value()).isEqualTo("eu1");
    }
  }

  @Test
  void anotherCodecThanTheOneStoredWithIsToldClearly() throws Exception {
    try (RocksStorage<String, String> storage = open(10)) {
      storage.store("k", "vv");
    }
    try (RocksStorage<String, Long> storage = RocksStorage.open(folder, TEXT, Codec.int64())) {
      assertThatThrownBy(() -> storage.load("k"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("an object in rocksdb:" + folder + " cannot be decoded")
          .hasMessageContaining("open the storage with the codec that it was stored with");
    }
  }

  @Test
  void aCodecThatFailsStoresNothing() throws Exception {
    try (RocksStorage<String, String> storage = open(10)) {
      assertThatIllegalArgumentException().isThrownBy(() -> storage.store("k", "\uD83D"));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> storage.storeAll(Map.of("k", "v", "l", "\uD83D")));
      assertThat(storage.head()).isZero();
    }
  }

  @Test
  void anInterruptedThreadReadsWritesAndCloses() throws Exception {
    Thread.currentThread().interrupt();
    try (RocksStorage<String, String> storage = open(10)) {
      for (int i = 0; i < 200; i++) {
        storage.store("key" + i, "value" + i);
      }
      assertThat(storage.load("key7")).isEqualTo("value7");
    }
    assertThat(Thread.interrupted()).isTrue();
    try (RocksStorage<String, String> storage = open(10)) {
      assertThat(storage.load("key199")).isEqualTo("value199");
    }
  }

  @Test
  void theEpochStaysOverClosingAndReopening() throws Exception {
    List<Long> epochs = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      try (RocksStorage<String, String> storage = open(10)) {
        storage.store("k", "v" + round);
        CommitRecorder<String> recorder = new CommitRecorder<>(Duration.ofSeconds(30));
        storage.commits(round, recorder).close();
        recorder.awaitRevision(round + 1);
        epochs.add(recorder.events().get(0).epoch());
      }
    }
    assertThat(epochs.get(1)).isEqualTo(epochs.get(0));
  }

  /** Keys of which one begins as another goes on, up to the bytes of a revision. */
  @Test
  void versionsOfKeysThatBeginAlikeAreToldApart() throws Exception {
    List<String> keys =
        List.of("", "a", "a\0\0\0\0\0\0\0\1", "a\0\0\0\0\0\0\0\2", "aa", "b", "\0\0\0\1a");
    try (RocksStorage<String, String> storage = open(1000)) {
      for (int round = 0; round < 5; round++) {
        for (String key : keys) {
          storage.store(key, key + round);
        }
      }
      for (long at = 1; at <= 5L * keys.size(); at++) {
        for (int i = 0; i < keys.size(); i++) {
          long round = (at - 1 - i + keys.size()) / keys.size() - 1;
          String expected = round < 0 ? null : keys.get(i) + round;
          assertThat(storage.loadAt(keys.get(i), at).value()).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void withoutHistoryTheHeadIsReadAndConflictsAreSeen() throws Exception {
    try (RocksStorage<String, String> storage = open(0)) {
      storage.store("k", "1");
      storage.delete("k");
      assertThat(storage.loadAt("k", 2)).isEqualTo(new Revision<>(null, 2, Revision.NO_NEXT));
      assertThat(storage.commit(Map.of("k", Optional.of("3")), 2)).isEqualTo(3);
      assertThat(storage.loadAt("k", 3)).isEqualTo(new Revision<>("3", 3, Revision.NO_NEXT));
      assertThatThrownBy(() -> storage.loadAt("k", 2)).isInstanceOf(SnapshotTooOldException.class);
      assertThatThrownBy(() -> storage.commit(Map.of("k", Optional.of("4")), 2))
          .isInstanceOfAny(SnapshotTooOldException.class, ConflictException.class);
    }
  }

  /** Random commits, with the length of the history changed at each opening, beside a map. */
  @Test
  void everyRevisionKeptIsReadWhateverTheHistoryWasBefore() throws Exception {
    Random random = new Random(42);
    TreeMap<Long, Map<String, String>> states = new TreeMap<>();
    states.put(0L, Map.of());
    long oldest = 0;
    for (int history : new int[] {300, 0, 300, 2, 70, 0, 1000, 1000}) {
      try (RocksStorage<String, String> storage = open(history)) {
        for (int i = 0; i < 300; i++) {
          Map<String, String> state = new HashMap<>(states.lastEntry().getValue());
          Map<String, Optional<String>> changes = new HashMap<>();
          for (int change = random.nextInt(3); change >= 0; change--) {
            String key = "k" + random.nextInt(8);
            boolean delete = random.nextInt(3) == 0;
            changes.put(key, delete ? Optional.empty() : Optional.of("v" + random.nextInt()));
          }
          changes.forEach((key, value) -> state.put(key, value.orElse(null)));
          long revision = storage.commit(changes, storage.head());
          state.values().removeIf(value -> value == null);
          states.put(revision, state);
          oldest = Math.max(oldest, revision - history);
          if (i % 50 == 7) {
            assertReads(storage, states, oldest, history);
          }
        }
        assertReads(storage, states, oldest, history);
      }
    }
  }

  private static void assertReads(
      RocksStorage<String, String> storage,
      NavigableMap<Long, Map<String, String>> states,
      long oldest,
      int history)
      throws Exception {
    Set<String> keys = Set.of("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "never");
    for (Map.Entry<Long, Map<String, String>> state : states.tailMap(oldest, true).entrySet()) {
      Map<String, String> found = new HashMap<>();
      storage
          .loadAllAt(keys, state.getKey())
          .forEach((key, revision) -> found.put(key, revision.value()));
      found.values().removeIf(value -> value == null);
      assertThat(found)
          .as("seed 42, history %d, revision %d", history, state.getKey())
          .isEqualTo(state.getValue());
    }
    assertThat(storage.loadAll(keys)).isEqualTo(states.lastEntry().getValue());
    if (oldest > 0) {
      assertThatThrownBy(() -> storage.loadAt("k0", oldest - 1))
          .isInstanceOf(SnapshotTooOldException.class)
          .hasMessageContaining("begins at revision " + oldest);
    }
  }

  /** What is forgotten goes from the folder as well. */
  @Test
  void theFolderDoesNotGrowWithTheNumberOfCommits() throws Exception {
    RocksOptions small = RocksOptions.defaults().withHistory(10).withWriteBufferMegabytes(1);
    try (RocksStorage<String, byte[]> storage =
        RocksStorage.open(folder, TEXT, Codec.bytes(), small)) {
      byte[] noise = new byte[20_000];
      Random random = new Random(1);
      for (int i = 0; i < 4000; i++) {
        random.nextBytes(noise);
        storage.store("key" + i % 5, noise);
      }
    }
    long size = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        size += Files.size(file);
      }
    }
    assertThat(size).as("bytes, of 80 MB that were stored").isLessThan(40_000_000);
  }
}

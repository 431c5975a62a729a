package io.latchkey.storage.mvstore;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is special to the storage in a file; the rest is in the contract suite. */
class MvStorageTest {
  private static final Codec<String> TEXT = Codec.utf8();

  @TempDir private Path directory;

  @Test
  void theExampleOfTheDocumentationRuns() throws Exception {
    Path file = directory.resolve("users.db");
    try (MvStorage<Long, String> users = MvStorage.open(file, Codec.int64(), Codec.utf8())) {
      users.store(1L, "Ada");
    }
    try (MvStorage<Long, String> users = MvStorage.open(file, Codec.int64(), Codec.utf8())) {
      assertThat(users.load(1L)).isEqualTo("Ada");
    }
  }

  @Test
  void opensByUrlWhateverThePathIsCalled() throws Exception {
    Path folder = Files.createDirectory(directory.resolve("a b#c%41ü"));
    Path file = folder.resolve("x?y.db");
    String url = "mvstore:" + file.toString().replace("%41", "%2541").replace("?", "%3F");
    try (Storage<String, String> storage = Storages.open(url + "?sync=true", TEXT, TEXT)) {
      assertThat(storage).isInstanceOf(MvStorage.class);
      assertThat(storage.name()).isEqualTo("mvstore:" + file);
      ((MvStorage<String, String>) storage).store("k", "v");
    }
    try (MvStorage<String, String> storage = MvStorage.open(file, TEXT, TEXT)) {
      assertThat(storage.load("k")).isEqualTo("v");
    }
  }

  @Test
  void anEmptyFileIsSetUp() throws Exception {
    Path file = Files.createFile(directory.resolve("empty.db"));
    try (MvStorage<String, String> storage = MvStorage.open(file, TEXT, TEXT)) {
      storage.store("k", "v");
    }
    assertThat(Files.size(file)).isPositive();
  }

  @Test
  void anotherCodecThanTheOneStoredWithIsToldClearly() throws Exception {
    Path file = directory.resolve("x.db");
    try (MvStorage<String, String> storage = MvStorage.open(file, TEXT, TEXT)) {
      storage.store("k", "vv");
    }
    try (MvStorage<String, Long> storage = MvStorage.open(file, TEXT, Codec.int64())) {
      assertThatThrownBy(() -> storage.load("k"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("an object in mvstore:" + file + " cannot be decoded")
          .hasMessageContaining("8 bytes, not 2")
          .hasMessageContaining("open the storage with the codec that it was stored with");
    }
  }

  @Test
  void aCodecThatFailsStoresNothing() throws Exception {
    try (MvStorage<String, String> storage =
        MvStorage.open(directory.resolve("x.db"), TEXT, TEXT)) {
      assertThatIllegalArgumentException().isThrownBy(() -> storage.store("k", "\uD83D"));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> storage.storeAll(Map.of("k", "v", "l", "\uD83D")));
      assertThat(storage.size()).isZero();
    }
  }

  @Test
  void clearDeletesEverything() throws Exception {
    Path file = directory.resolve("x.db");
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 10_000; i++) {
      many.put("key" + i, "value" + i);
    }
    try (MvStorage<String, String> storage = MvStorage.open(file, TEXT, TEXT)) {
      storage.storeAll(many);
      assertThat(storage.size()).isEqualTo(10_000);
      storage.clear();
      assertThat(storage.size()).isZero();
      assertThat(storage.load("key1")).isNull();
    }
    assertThat(Files.size(file)).as("room given back").isLessThan(100_000);
  }

  @Test
  void closingShrinksTheFile() throws Exception {
    Path file = directory.resolve("x.db");
    try (MvStorage<String, String> storage = MvStorage.open(file, TEXT, TEXT)) {
      for (int i = 0; i < 500; i++) {
        storage.store("key" + i % 50, "x".repeat(1000));
      }
    }
    assertThat(Files.size(file)).isLessThan(200_000);
  }

  @Test
  void anInterruptedThreadReadsWritesAndCloses() throws Exception {
    Path file = directory.resolve("x.db");
    Thread.currentThread().interrupt();
    try (MvStorage<String, String> storage =
        MvStorage.open(file, TEXT, TEXT, MvOptions.defaults().withCacheMegabytes(0))) {
      for (int i = 0; i < 200; i++) {
        storage.store("key" + i, "value" + i);
      }
      assertThat(storage.load("key7")).isEqualTo("value7");
    }
    assertThat(Thread.interrupted()).isTrue();
    try (MvStorage<String, String> storage = MvStorage.open(file, TEXT, TEXT)) {
      assertThat(storage.load("key199")).isEqualTo("value199");
    }
  }

  @Test
  void callsAfterCloseSaySo() throws Exception {
    MvStorage<String, String> storage = MvStorage.open(directory.resolve("x.db"), TEXT, TEXT);
    storage.close();
    storage.close();
    assertThatThrownBy(() -> storage.load("k"))
        .isInstanceOf(StorageException.class)
        .hasMessage(storage.name() + " is closed: open it again");
    assertThatThrownBy(() -> storage.store("k", "v")).hasMessageContaining("is closed");
    assertThatThrownBy(storage::size).hasMessageContaining("is closed");
    assertThatThrownBy(storage::clear).hasMessageContaining("is closed");
  }

  @Test
  void noThreadStaysAfterClose() throws Exception {
    MvStorage<String, String> storage = MvStorage.open(directory.resolve("x.db"), TEXT, TEXT);
    String thread = "latchkey commits to " + storage.name();
    assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName).contains(thread);
    storage.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain(thread);
  }

  /** A reader so slow that the page that it wants to read is gone from the file by then. */
  @Test
  void aSlowReaderIsNotHurtByTheReuseOfSpace() throws Exception {
    Path file = directory.resolve("x.db");
    MvOptions uncached = MvOptions.defaults().withCacheMegabytes(0);
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicReference<Thread> slow = new AtomicReference<>();
    try (MvStorage<String, String> storage =
        MvStorage.open(
            file, TEXT, TEXT, uncached, bytes -> new SlowReads(bytes, slow, reading, go))) {
      storage.storeAll(numbered(0));
      FutureTask<String> load = new FutureTask<>(() -> storage.load("key150"));
      slow.set(new Thread(load));
      slow.get().start();
      reading.await();
      for (int round = 1; round <= 30; round++) {
        storage.storeAll(numbered(round));
      }
      go.countDown();
      assertThat(load.get(30, SECONDS)).isEqualTo("value150/30");
    }
  }

  private static Map<String, String> numbered(int round) {
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      all.put("key" + i, "value" + i + "/" + round);
    }
    return all;
  }

  /** Holds the first read of one thread. */
  private record SlowReads(
      FileBytes bytes, AtomicReference<Thread> slow, CountDownLatch reading, CountDownLatch go)
      implements FileBytes {
    @Override
    public void read(long position, byte[] target) throws IOException {
      if (Thread.currentThread() == slow.get()) {
        reading.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      bytes.read(position, target);
    }

    @Override
    public void write(long position, byte[] source, int offset, int length) throws IOException {
      bytes.write(position, source, offset, length);
    }

    @Override
    public long size() throws IOException {
      return bytes.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      bytes.truncate(size);
    }

    @Override
    public void force() throws IOException {
      bytes.force();
    }

    @Override
    public void close() {
      bytes.close();
    }
  }

  @Test
  void optionsAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MvOptions.defaults().withCacheMegabytes(-1))
        .withMessage("cacheMegabytes is -1: give 0 to 65536");
    assertThat(MvOptions.defaults().withSync(true).withRecover(true).withCacheMegabytes(3))
        .isEqualTo(new MvOptions(true, 3, true, 1000));
  }
}

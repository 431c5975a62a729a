package io.latchkey.storage.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk that is full or fails: the call fails, nothing acknowledged is lost, reads go on. */
class WriteFailureTest {
  private static final Logger LOG = Logger.getLogger("io.latchkey.storage");

  @TempDir private Path directory;
  private Path file;
  private FailingDisk disk;
  private MvStorage<String, String> storage;

  @BeforeEach
  void open() throws Exception {
    LOG.setLevel(Level.OFF);
    file = directory.resolve("objects.db");
    open(MvOptions.defaults());
  }

  private void open(MvOptions options) throws Exception {
    storage =
        MvStorage.open(
            file, Codec.utf8(), Codec.utf8(), options, bytes -> disk = new FailingDisk(bytes));
  }

  @AfterEach
  void close() {
    storage.close();
    LOG.setLevel(null);
  }

  private void assertReopens(Map<String, String> expected) throws Exception {
    storage.close();
    open(MvOptions.defaults());
    for (Map.Entry<String, String> entry : expected.entrySet()) {
      assertThat(storage.load(entry.getKey())).isEqualTo(entry.getValue());
    }
  }

  private void assertFull(ThrowingCallable write) {
    assertThatThrownBy(write)
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot write to mvstore:" + file)
        .hasMessageContaining("No space left on device")
        .hasMessageContaining("make room on the disk")
        .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
  }

  /** The room runs out before, in and after the chunk, and in the header behind it. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 5000, 12288, 16384, 20479})
  void aFullDiskFailsTheWriteAndNothingElse(long room) throws Exception {
    storage.store("before", "1");
    disk.room = room;
    String large = "x".repeat(100_000);
    assertFull(() -> storage.store("large", large));
    assertFull(() -> storage.store("large", large));
    assertThat(storage.load("before")).isEqualTo("1");
    assertThat(storage.load("large")).isNull();
    assertThat(storage.size()).isEqualTo(1);
    disk.room = Long.MAX_VALUE;
    storage.store("after", "2");
    storage.store("before", "3");
    assertThat(storage.load("after")).isEqualTo("2");
    assertReopens(Map.of("before", "3", "after", "2"));
    assertThat(storage.load("large")).isNull();
  }

  @Test
  void aFullDiskFailsDeletesAndClearsToo() throws Exception {
    storage.store("k", "v");
    disk.room = 0;
    assertFull(() -> storage.delete("k"));
    assertFull(storage::clear);
    assertFull(() -> storage.storeAll(Map.of("a", "1", "b", "2")));
    assertThat(storage.load("k")).isEqualTo("v");
    assertThat(storage.load("a")).isNull();
    disk.room = Long.MAX_VALUE;
    assertReopens(Map.of("k", "v"));
  }

  @Test
  void closingOnAFullDiskLosesNothing() throws Exception {
    storage.store("k", "v");
    disk.room = 0;
    assertFull(() -> storage.store("l", "w"));
    assertReopens(Map.of("k", "v"));
    assertThat(storage.load("l")).isNull();
  }

  @Test
  void openingANewFileOnAFullDiskLeavesItEmpty() throws Exception {
    Path other = directory.resolve("other.db");
    assertThatThrownBy(
            () ->
                MvStorage.open(
                    other,
                    Codec.utf8(),
                    Codec.utf8(),
                    MvOptions.defaults(),
                    bytes -> {
                      FailingDisk full = new FailingDisk(bytes);
                      full.room = 9000;
                      return full;
                    }))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot open mvstore:" + other);
    assertThat(Files.size(other)).isZero();
    MvStorage.open(other, Codec.utf8(), Codec.utf8()).close();
  }

  @Test
  void theFeedTellsWhatAFailedWriteMayHaveShown() throws Exception {
    List<String> told = new ArrayList<>();
    storage.watch(
        new FeedListener<>() {
          @Override
          public void changed(long epoch, long sequence, Collection<? extends String> keys) {
            told.addAll(keys);
          }

          @Override
          public void changedAll(long epoch, long sequence) {
            told.add("all");
          }

          @Override
          public void lost(String reason) {
            told.add("lost");
          }

          @Override
          public void whole(long epoch, long sequence) {
            told.add("whole");
          }
        });
    storage.store("k", "v");
    disk.room = 0;
    assertFull(() -> storage.store("k", "w"));
    assertFull(storage::clear);
    assertThat(told).containsExactly("whole", "k", "k", "all");
  }

  @Test
  void aFailedSyncFailsTheWrite() throws Exception {
    storage.close();
    open(MvOptions.defaults().withSync(true));
    storage.store("k", "v");
    disk.failForce = true;
    assertThatThrownBy(() -> storage.store("k", "w"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("syncing")
        .hasMessageContaining("no sync");
    assertThat(storage.load("k")).isEqualTo("v");
    disk.failForce = false;
    storage.store("k", "x");
    assertReopens(Map.of("k", "x"));
  }

  @Test
  void writesThatShareAFailedCommitFailAlone() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    disk.beforeWrite =
        () -> {
          held.countDown();
          go.await();
        };
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Future<?> first = threads.submit(() -> store("first", "1"));
      held.await();
      // These come while the first one is written, so they share the next commit.
      Future<?> small = threads.submit(() -> store("small", "2"));
      Future<?> large = threads.submit(() -> store("large", "x".repeat(200_000)));
      storage.awaitQueued(2);
      disk.beforeWrite = () -> {};
      disk.room = 150_000;
      go.countDown();
      first.get();
      small.get();
      assertThatThrownBy(large::get).hasRootCauseMessage("No space left on device");
      assertThat(storage.load("small")).isEqualTo("2");
      assertThat(storage.load("large")).isNull();
    } finally {
      threads.shutdownNow();
    }
    disk.room = Long.MAX_VALUE;
    assertReopens(Map.of("first", "1", "small", "2"));
  }

  private Object store(String key, String value) throws StorageException {
    storage.store(key, value);
    return key;
  }

  @Test
  void aDiskThatCannotBeReadFailsTheLoadUntilItCan() throws Exception {
    storage.close();
    open(MvOptions.defaults().withCacheMegabytes(0));
    for (int i = 0; i < 500; i++) {
      storage.store("key" + i, "value" + i);
    }
    storage.close();
    open(MvOptions.defaults().withCacheMegabytes(0));
    disk.failRead = true;
    assertThatThrownBy(() -> storage.load("key7"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot read from mvstore:" + file)
        .hasMessageContaining("no read")
        .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
    disk.failRead = false;
    assertThat(storage.load("key7")).isEqualTo("value7");
  }

  @Test
  void aFileThatCannotBeOpenedAgainIsTriedAgain() throws Exception {
    storage.store("k", "v");
    disk.room = 0;
    disk.failRead = true;
    assertThatThrownBy(() -> storage.store("k", "w")).isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> storage.load("k"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot read mvstore:" + file)
        .hasMessageContaining("no read");
    assertThatThrownBy(() -> storage.store("k", "w")).isInstanceOf(StorageException.class);
    disk.failRead = false;
    assertThat(storage.load("k")).isEqualTo("v");
    disk.room = Long.MAX_VALUE;
    storage.store("k", "x");
    assertReopens(Map.of("k", "x"));
  }

  @Test
  void anErrorFailsTheWriteAndNothingElse() throws Exception {
    storage.store("k", "v");
    disk.beforeWrite =
        () -> {
          throw new OutOfMemoryError("no heap");
        };
    assertThatThrownBy(() -> storage.store("k", "w"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("no heap");
    disk.beforeRead =
        () -> {
          throw new OutOfMemoryError("no heap to read");
        };
    assertThatThrownBy(() -> storage.store("k", "w")).isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> storage.load("k"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("no heap to read");
    disk.beforeRead = () -> {};
    assertThat(storage.load("k")).isEqualTo("v");
    disk.beforeWrite = () -> {};
    storage.store("k", "x");
    assertReopens(Map.of("k", "x"));
  }

  /** A file whose disk fails when the test says so. */
  private static final class FailingDisk implements FileBytes {
    interface Step {
      void run() throws InterruptedException;
    }

    private final FileBytes bytes;
    volatile long room = Long.MAX_VALUE;
    volatile boolean failForce;
    volatile boolean failRead;
    volatile Step beforeWrite = () -> {};
    volatile Step beforeRead = () -> {};

    FailingDisk(FileBytes bytes) {
      this.bytes = bytes;
    }

    private static void run(Step step) throws IOException {
      try {
        step.run();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void read(long position, byte[] target) throws IOException {
      run(beforeRead);
      if (failRead) {
        throw new IOException("no read");
      }
      bytes.read(position, target);
    }

    @Override
    public void write(long position, byte[] source, int offset, int length) throws IOException {
      run(beforeWrite);
      long left = room;
      int part = (int) Math.min(length, left);
      bytes.write(position, source, offset, part);
      if (part < length) {
        throw new IOException("No space left on device");
      }
      if (left < Long.MAX_VALUE) {
        room = left - part;
      }
    }

    @Override
    public long size() throws IOException {
      if (failRead) {
        throw new IOException("no read");
      }
      return bytes.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      bytes.truncate(size);
    }

    @Override
    public void force() throws IOException {
      if (failForce) {
        throw new IOException("no sync");
      }
      bytes.force();
    }

    @Override
    public void close() {
      bytes.close();
    }
  }
}

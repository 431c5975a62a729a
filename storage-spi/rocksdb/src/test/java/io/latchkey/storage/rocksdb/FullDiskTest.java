package io.latchkey.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that gets full; it needs a small file system of its own, which only root can mount. */
@Timeout(120)
class FullDiskTest {
  @TempDir private Path disk;
  private boolean mounted;

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      assertThat(run("umount", disk.toString())).isTrue();
    }
  }

  private RocksStorage<Long, byte[]> open() throws Exception {
    return RocksStorage.open(
        disk.resolve("objects"),
        Codec.int64(),
        Codec.bytes(),
        RocksOptions.defaults().withWriteBufferMegabytes(1));
  }

  private static byte[] value(int number) {
    byte[] noise = new byte[10_000];
    new Random(number).nextBytes(noise);
    return noise;
  }

  private static void assertHolds(RocksStorage<Long, byte[]> storage, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      assertThat(storage.load((long) i)).as("object %d of %d", i, count).isEqualTo(value(i));
    }
  }

  private static int fill(RocksStorage<Long, byte[]> storage, int from) throws Exception {
    for (int i = from; true; i++) {
      try {
        storage.store((long) i, value(i));
      } catch (StorageException e) {
        assertThat(e).hasMessageContaining(storage.name()).hasMessageContaining("the disk is full");
        assertThat(e.retryable()).isTrue();
        return i;
      }
    }
  }

  @Test
  void whatWasAcknowledgedStaysAndIsReadAndWritingGoesOn() throws Exception {
    boolean root = "root".equals(System.getProperty("user.name"));
    mounted = root && run("mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", disk.toString());
    assumeTrue(mounted, "skipped: a full disk is tried on a tmpfs, which only root can mount");
    Path ballast = disk.resolve("ballast");
    Files.write(ballast, new byte[12_000_000]);
    int stored;
    try (RocksStorage<Long, byte[]> storage = open()) {
      stored = fill(storage, 0);
      assertThat(stored).isGreaterThan(100);
      assertHolds(storage, stored);
      assertThat(storage.head()).isEqualTo(stored);
      Files.delete(ballast);
      stored = untilStored(storage, stored);
      assertHolds(storage, stored);
    }
    try (RocksStorage<Long, byte[]> storage = open()) {
      assertHolds(storage, stored);
      stored = fill(storage, stored);
      assertHolds(storage, stored);
    }
    assertThat(Files.exists(disk.resolve("objects/CURRENT"))).isTrue();
  }

  /** RocksDB looks for room every few seconds; the time-out of the test bounds the tries. */
  private static int untilStored(RocksStorage<Long, byte[]> storage, int number) throws Exception {
    while (true) {
      try {
        storage.store((long) number, value(number));
        return number + 1;
      } catch (StorageException e) {
        assertThat(e.retryable()).isTrue();
        Thread.onSpinWait();
      }
    }
  }
}

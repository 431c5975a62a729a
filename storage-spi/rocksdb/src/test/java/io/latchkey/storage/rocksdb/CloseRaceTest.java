package io.latchkey.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.testkit.FeedRecorder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that race with close; a call that comes too late would end this very process. */
class CloseRaceTest {
  private static final int ROUNDS = 20;

  /** One kind of call, again and again. */
  private interface Call {
    void run(RocksStorage<String, String> storage, int number) throws Exception;
  }

  private static final List<Call> CALLS =
      List.of(
          (storage, i) -> assertThat(storage.load("key")).isEqualTo("value"),
          (storage, i) -> storage.loadAll(Set.of("key", "other" + i)),
          (storage, i) -> storage.loadAt("key", Math.max(1, storage.head() - 5)),
          (storage, i) -> storage.store("other" + i % 10, "x".repeat(i % 1000)),
          (storage, i) -> storage.commit(Map.of("mine", Optional.of("value" + i)), storage.head()),
          (storage, i) -> storage.watch(new FeedRecorder<>(Duration.ofSeconds(1))).close());

  @Test
  void callsEndOrSayThatItIsClosed(@TempDir Path directory) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      RocksStorage<String, String> storage =
          RocksStorage.open(
              directory.resolve("objects"),
              Codec.utf8(),
              Codec.utf8(),
              // More than the commits that can be made between two steps of a call.
              RocksOptions.defaults().withHistory(Integer.MAX_VALUE));
      storage.store("key", "value");
      CountDownLatch running = new CountDownLatch(CALLS.size());
      List<FutureTask<Integer>> tasks = new ArrayList<>();
      for (Call call : CALLS) {
        FutureTask<Integer> task = new FutureTask<>(() -> untilClosed(call, storage, running));
        new Thread(task).start();
        tasks.add(task);
      }
      running.await();
      FutureTask<Void> second = new FutureTask<>(storage::close, null);
      new Thread(second).start();
      storage.close();
      second.get(30, TimeUnit.SECONDS);
      for (FutureTask<Integer> task : tasks) {
        assertThat(task.get(30, TimeUnit.SECONDS)).isPositive();
      }
    }
  }

  private static int untilClosed(
      Call call, RocksStorage<String, String> storage, CountDownLatch running) throws Exception {
    try {
      for (int i = 0; true; i++) {
        try {
          call.run(storage, i);
        } catch (StorageException e) {
          assertThat(e).hasMessage(storage.name() + " is closed: open it again");
          return i;
        }
        if (i == 5) {
          running.countDown();
        }
      }
    } finally {
      running.countDown(); // also of those that failed before, which the caller then tells
    }
  }
}

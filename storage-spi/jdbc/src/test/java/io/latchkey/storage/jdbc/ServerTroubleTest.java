package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a storage does when its server has trouble; the server is its own. */
class ServerTroubleTest {
  /** For the connection and for each answer; the driver's is whole seconds and one more. */
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  /** A call may wait for a connection, and then for an answer. */
  private static final Duration DOCUMENTED = TIMEOUT.multipliedBy(2).plusSeconds(2);

  private static PostgresServer server;

  private String table = "";

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @BeforeEach
  void nameTheTable() {
    table = PostgresServer.freshName();
  }

  private WritableStorage<String, String> open(Duration timeout, int connections) throws Exception {
    String url =
        server.url()
            + "&create=true&table="
            + table
            + "&timeout="
            + timeout
            + "&connections="
            + connections;
    WritableStorage<String, String> storage =
        (WritableStorage<String, String>) Storages.open(url, Codec.utf8(), Codec.utf8());
    storage.storeAll(Map.of("k", "v", "l", "w"));
    return storage;
  }

  private static void assertRetryable(Throwable e) {
    assertThat(e).isInstanceOf(StorageException.class);
    assertThat(((StorageException) e).retryable()).as(e.toString()).isTrue();
    assertThat(e.getMessage()).startsWith("cannot ").doesNotContain("\n", "null");
  }

  /** Loads, again and again, until it works; what fails meanwhile says that it may be repeated. */
  private static void assertRecovers(Storage<String, String> storage) throws Exception {
    while (true) {
      try {
        assertThat(storage.load("k")).isEqualTo("v");
        assertThat(storage.loadAll(Set.of("k", "l"))).isEqualTo(Map.of("k", "v", "l", "w"));
        return;
      } catch (StorageException e) {
        assertRetryable(e);
      }
    }
  }

  private static <T> FutureTask<T> begin(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  /** Four threads that load and store until told to stop; how often it worked stands in a count. */
  private static final class Load implements AutoCloseable {
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final List<FutureTask<Void>> threads = new ArrayList<>();

    Load(WritableStorage<String, String> storage) {
      for (int i = 0; i < 4; i++) {
        String own = "own" + i;
        threads.add(begin(() -> run(storage, own)));
      }
    }

    private Void run(WritableStorage<String, String> storage, String own) throws Exception {
      for (int i = 0; !stopped.get(); i++) {
        try {
          storage.store(own, "v" + i);
          assertThat(storage.load(own)).isEqualTo("v" + i);
          assertThat(storage.load("k")).isEqualTo("v");
          done.incrementAndGet();
        } catch (StorageException e) {
          assertRetryable(e);
          failed.incrementAndGet();
        }
      }
      return null;
    }

    /** Waits until that many more rounds went well. */
    void await(int rounds) {
      int wanted = done.get() + rounds;
      while (done.get() < wanted) {
        Thread.onSpinWait();
      }
    }

    @Override
    public void close() throws Exception {
      stopped.set(true);
      for (FutureTask<Void> thread : threads) {
        thread.get();
      }
    }
  }

  @Test
  @DisplayName("Connections that the server cuts under load fail their calls only, again and again")
  void terminated() throws Exception {
    try (WritableStorage<String, String> storage = open(Duration.ofSeconds(10), 4)) {
      try (Load load = new Load(storage)) {
        for (int i = 0; i < 5; i++) {
          load.await(20);
          server.execute(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                  + " WHERE application_name = 'latchkey'");
        }
        load.await(20);
        // A call for each connection that was cut; the pool throws out the others by itself.
        assertThat(load.failed.get()).isLessThanOrEqualTo(5 * 4 * 3);
      }
      assertRecovers(storage);
    }
  }

  @Test
  @DisplayName("A server that is stopped and started again under load is found again")
  void restarted() throws Exception {
    try (WritableStorage<String, String> storage = open(TIMEOUT, 4)) {
      try (Load load = new Load(storage)) {
        load.await(20);
        server.stop();
        assertThatThrownBy(() -> storage.load("k")).satisfies(ServerTroubleTest::assertRetryable);
        server.restart();
        load.await(20);
      }
      assertRecovers(storage);
    }
  }

  @Test
  @DisplayName("A server that is killed loses nothing that was stored")
  void killed() throws Exception {
    try (WritableStorage<String, String> storage = open(TIMEOUT, 4)) {
      storage.store("k", "other");
      storage.store("k", "v");
      ProcessHandle process = server.process();
      server.signal("KILL");
      process.onExit().get(20, TimeUnit.SECONDS);
      assertThatThrownBy(() -> storage.load("k")).satisfies(ServerTroubleTest::assertRetryable);
      assertThatThrownBy(() -> storage.store("k", "lost"))
          .satisfies(ServerTroubleTest::assertRetryable);
      server.restart();
      assertRecovers(storage);
    }
  }

  @Test
  @DisplayName(
      "A server that falls silent fails all calls in the documented time, then all is well")
  void silent() throws Exception {
    try (WritableStorage<String, String> storage = open(TIMEOUT, 2)) {
      server.signal("STOP");
      try {
        List<FutureTask<Long>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          boolean single = i % 2 == 0;
          calls.add(begin(() -> nanosOfFailure(storage, single)));
        }
        for (FutureTask<Long> call : calls) {
          assertThat(Duration.ofNanos(call.get())).isLessThan(DOCUMENTED.plusSeconds(3));
        }
      } finally {
        server.signal("CONT");
      }
      assertRecovers(storage);
    }
  }

  private static long nanosOfFailure(WritableStorage<String, String> storage, boolean single) {
    long start = System.nanoTime();
    assertThatThrownBy(
            () -> {
              if (single) {
                storage.load("k");
              } else {
                storage.storeAll(Map.of("k", "v", "l", "w"));
              }
            })
        .satisfies(ServerTroubleTest::assertRetryable);
    return System.nanoTime() - start;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  @DisplayName("A lock that another session holds fails those who want it, in the time-out")
  void locked(int connections) throws Exception {
    try (WritableStorage<String, String> storage = open(TIMEOUT, connections);
        Connection other = server.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE " + table);
      List<FutureTask<Long>> calls = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        boolean single = i % 2 == 0;
        calls.add(begin(() -> nanosOfFailure(storage, single)));
      }
      for (FutureTask<Long> call : calls) {
        assertThat(Duration.ofNanos(call.get())).isLessThan(DOCUMENTED.plusSeconds(3));
      }
      other.rollback();
      assertRecovers(storage);
    }
  }

  /** A storage whose one connection waits for a lock, until this is closed. */
  private final class Exhausted implements AutoCloseable {
    final WritableStorage<String, String> storage;
    private final Connection other;
    final FutureTask<String> holder;

    Exhausted(Duration timeout) throws Exception {
      storage = open(timeout, 1);
      other = server.connect();
      other.setAutoCommit(false);
      other.createStatement().execute("LOCK TABLE " + table);
      holder = begin(() -> storage.load("k"));
      awaitLockWait();
    }

    private void awaitLockWait() throws Exception {
      String waiting =
          "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"
              + table
              + "%' AND application_name = 'latchkey'";
      while (!"1".equals(server.query(waiting))) {
        Thread.onSpinWait();
      }
    }

    void release() throws Exception {
      other.rollback();
    }

    @Override
    public void close() throws Exception {
      other.close();
      storage.close();
    }
  }

  @Test
  @DisplayName("A pool that is exhausted says so, and what may help")
  void exhausted() throws Exception {
    try (Exhausted pool = new Exhausted(Duration.ofSeconds(2))) {
      List<FutureTask<Throwable>> calls = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        calls.add(begin(() -> catchThrowable(() -> pool.storage.load("l"))));
      }
      List<String> messages = new ArrayList<>();
      for (FutureTask<Throwable> call : calls) {
        assertRetryable(call.get());
        messages.add(call.get().getMessage());
      }
      // One gets the connection when the statement that had it was ended, and waits as long.
      assertThat(messages)
          .filteredOn(
              message -> message.contains("no connection was free for PT2S, of 1 at most: raise"))
          .hasSizeGreaterThanOrEqualTo(2);
    }
  }

  @Test
  @DisplayName("Who waits for a connection is interrupted at once, and harms nobody")
  void interrupted() throws Exception {
    try (Exhausted pool = new Exhausted(Duration.ofSeconds(30))) {
      CountDownLatch begun = new CountDownLatch(1);
      FutureTask<Boolean> waiting =
          new FutureTask<>(
              () -> {
                begun.countDown();
                assertThatThrownBy(() -> pool.storage.load("l"))
                    .isInstanceOf(InterruptedException.class);
                return Thread.currentThread().isInterrupted();
              });
      Thread thread = new Thread(waiting);
      thread.start();
      begun.await();
      thread.interrupt();
      assertThat(waiting.get()).as("the flag, as an InterruptedException leaves it").isFalse();
      assertThat(pool.holder.isDone()).isFalse();
      pool.release();
      assertThat(pool.holder.get()).isEqualTo("v");
      assertThat(pool.storage.load("l")).isEqualTo("w");
    }
  }

  @Test
  @DisplayName(
      "A close ends the calls that wait for a connection, and those that wait for an answer")
  void closedWhileWaiting() throws Exception {
    try (Exhausted pool = new Exhausted(Duration.ofSeconds(30))) {
      CountDownLatch begun = new CountDownLatch(2);
      List<FutureTask<String>> waiting = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        waiting.add(
            begin(
                () -> {
                  begun.countDown();
                  return pool.storage.load("l");
                }));
      }
      begun.await();
      pool.storage.close();
      waiting.add(pool.holder);
      for (FutureTask<String> call : waiting) {
        assertThatThrownBy(call::get)
            .hasCauseInstanceOf(StorageException.class)
            .hasMessageEndingWith(" is closed");
      }
      assertThat(pool.storage.name()).contains(table);
    }
    String left = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'latchkey'";
    while (!"0".equals(server.query(left))) {
      Thread.onSpinWait(); // the server ends a session when it looks at its connection
    }
  }
}

package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.Snapshot;
import io.latchkey.cache.SnapshotCache;
import io.latchkey.storage.Codec;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.SnapshotTooOldException;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.testkit.CommitRecorder;
import io.latchkey.storage.testkit.CommitRecorder.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The revisions of a table that others change by plain SQL. */
class PostgresRevisionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final PostgresServer server = PostgresServer.shared();
  private final String table = PostgresServer.freshName();
  private final CommitRecorder<Long> recorder = new CommitRecorder<>(PATIENCE);

  @BeforeEach
  void createTable() throws Exception {
    server.execute("CREATE TABLE " + table + " (id bigint PRIMARY KEY, name text)");
  }

  private String url(String parameters) {
    return server.url() + "&table=" + table + "&key=id&value=name" + parameters;
  }

  private RevisionStorage<Long, String> open(String parameters) throws Exception {
    return (RevisionStorage<Long, String>)
        Storages.<Long, String>open(
            url("&revisions=install" + parameters), Codec.int64(), Codec.utf8());
  }

  private static @org.jspecify.annotations.Nullable String at(
      RevisionStorage<Long, String> storage, long key, long revision) throws Exception {
    return storage.loadAt(key, revision).value();
  }

  @Test
  @DisplayName("Each transaction of anybody that changes rows is one revision, with its last state")
  void transactions() throws Exception {
    try (RevisionStorage<Long, String> storage = open("");
        Subscription subscription = storage.commits(0, recorder)) {
      assertThat(subscription).isNotNull();
      recorder.awaitRevision(0);
      server.execute("INSERT INTO " + table + " VALUES (1, 'a'), (2, 'b')");
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("UPDATE " + table + " SET name = 'first' WHERE id = 1");
        statement.execute("UPDATE " + table + " SET name = 'last' WHERE id = 1");
        statement.execute("DELETE FROM " + table + " WHERE id = 2");
        statement.execute("INSERT INTO " + table + " VALUES (3, 'c')");
        statement.execute("DELETE FROM " + table + " WHERE id = 3");
        assertThat(storage.head()).as("before the commit").isEqualTo(1);
        connection.commit();
      }
      server.execute("UPDATE " + table + " SET name = 'nobody' WHERE id = 99");
      assertThat(storage.head()).isEqualTo(2);
      assertThat(at(storage, 1, 1)).isEqualTo("a");
      assertThat(at(storage, 1, 2)).isEqualTo("last");
      assertThat(storage.loadAt(2L, 1)).isEqualTo(new Revision<>("b", 1, 2));
      assertThat(storage.loadAt(2L, 2)).isEqualTo(new Revision<>(null, 2, Revision.NO_NEXT));
      recorder.awaitRevision(2);
      assertThat(recorder.commits()).isEqualTo(Map.of(1L, Set.of(1L, 2L), 2L, Set.of(1L, 2L, 3L)));
    }
  }

  @Test
  @DisplayName("A changed key, TRUNCATE and a roll-back are recorded as what they are")
  void otherStatements() throws Exception {
    try (RevisionStorage<Long, String> storage = open("")) {
      server.execute(
          "INSERT INTO " + table + " VALUES (1, 'a'), (2, 'b')",
          "UPDATE " + table + " SET id = 20 WHERE id = 2",
          "TRUNCATE " + table);
      assertThat(at(storage, 2, 1)).isEqualTo("b");
      assertThat(at(storage, 2, 2)).isNull();
      assertThat(at(storage, 20, 2)).isEqualTo("b");
      assertThat(at(storage, 1, 2)).isEqualTo("a");
      assertThat(at(storage, 1, 3)).isNull();
      assertThat(at(storage, 20, 3)).isNull();
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("INSERT INTO " + table + " VALUES (5, 'rolled back')");
        statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
        statement.execute("UPDATE " + table + " SET name = 'again' WHERE id = 5");
        connection.rollback();
      }
      assertThat(storage.head()).isEqualTo(3);
      server.execute("INSERT INTO " + table + " VALUES (6, 'c')");
      assertThat(storage.loadAt(6L, 4)).isEqualTo(new Revision<>("c", 4, Revision.NO_NEXT));
    }
  }

  @Test
  @DisplayName("What the table holds when the history is installed is revision 1")
  void existingRows() throws Exception {
    server.execute("INSERT INTO " + table + " SELECT n, 'n' || n FROM generate_series(1, 100) n");
    try (RevisionStorage<Long, String> storage = open("");
        Subscription subscription = storage.commits(0, recorder)) {
      assertThat(subscription).isNotNull();
      assertThat(storage.head()).isEqualTo(1);
      assertThat(storage.loadAt(7L, 1)).isEqualTo(new Revision<>("n7", 1, Revision.NO_NEXT));
      assertThat(at(storage, 7, 0)).isNull();
      recorder.awaitRevision(1);
      assertThat(recorder.commits().get(1L)).hasSize(100);
    }
    PostgresInstallation.of(url("&revisions=install")).install();
    try (RevisionStorage<Long, String> storage = open("")) {
      assertThat(storage.head()).as("a second installation keeps the history").isEqualTo(1);
    }
  }

  @Test
  @DisplayName("A commit conflicts with what others changed by SQL, also while they change it")
  void conflicts() throws Exception {
    try (RevisionStorage<Long, String> storage = open("")) {
      storage.commit(Map.of(1L, Optional.of("a"), 2L, Optional.of("b")), 0);
      server.execute("UPDATE " + table + " SET name = 'other' WHERE id = 1");
      assertThatThrownBy(() -> storage.commit(Map.of(1L, Optional.of("mine")), 1))
          .isInstanceOf(ConflictException.class);
      assertThat(storage.load(1L)).isEqualTo("other");
      ExecutorService executor = Executors.newSingleThreadExecutor();
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("UPDATE " + table + " SET name = 'uncommitted' WHERE id = 2");
        Future<?> commit =
            executor.submit(() -> storage.commit(Map.of(2L, Optional.of("mine")), 2));
        awaitWaiting();
        connection.commit();
        assertThatThrownBy(commit::get).hasCauseInstanceOf(ConflictException.class);
      } finally {
        executor.shutdown();
      }
      assertThat(storage.load(2L)).isEqualTo("uncommitted");
      assertThat(storage.head()).isEqualTo(3);
    }
  }

  /** Waits until some session waits for a lock. */
  private void awaitWaiting() throws SQLException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while ("0"
        .equals(
            server.query(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                    + " AND application_name = 'latchkey'"))) {
      assertThat(System.nanoTime()).as("nobody waits for a lock").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  @DisplayName("Numbers are in the order of the commits, without holes, whoever commits")
  void orderOfCommits() throws Exception {
    int writers = 6;
    int each = 30;
    server.execute("INSERT INTO " + table + " SELECT n, '0' FROM generate_series(1, 5) n");
    try (RevisionStorage<Long, String> storage = open("&connections=12");
        Subscription subscription = storage.commits(1, recorder)) {
      assertThat(subscription).isNotNull();
      ExecutorService executor = Executors.newFixedThreadPool(writers);
      CyclicBarrier start = new CyclicBarrier(writers);
      java.util.List<Future<Integer>> done = new java.util.ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        boolean sql = writer % 2 == 0;
        done.add(
            executor.submit(
                () -> {
                  start.await();
                  return sql ? writeBySql(each) : writeByCommit(storage, each);
                }));
      }
      int made = 0;
      for (Future<Integer> future : done) {
        made += future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      executor.shutdown();
      assertThat(storage.head()).isEqualTo(1 + made);
      recorder.awaitRevision(1 + made);
      recorder.checkOrder();
      assertThat(recorder.count(Kind.LOST)).isZero();
      // Every transaction adds one to a row: at each revision the sum is the number of commits.
      for (long at = 1; at <= storage.head(); at++) {
        long sum = 0;
        for (Revision<String> found : storage.loadAllAt(Set.of(1L, 2L, 3L, 4L, 5L), at).values()) {
          sum += Long.parseLong(String.valueOf(found.value()));
        }
        assertThat(sum).as("sum at revision %d", at).isEqualTo(at - 1);
      }
    }
  }

  private int writeBySql(int times) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      int made = 0;
      for (int i = 0; i < times; i++) {
        long key = ThreadLocalRandom.current().nextLong(1, 6);
        statement.execute(
            "UPDATE " + table + " SET name = (name::int + 1)::text WHERE id = " + key);
        if (i % 5 == 0) {
          connection.rollback();
        } else {
          connection.commit();
          made++;
        }
      }
      return made;
    }
  }

  private static int writeByCommit(RevisionStorage<Long, String> storage, int times)
      throws Exception {
    int made = 0;
    while (made < times) {
      long key = ThreadLocalRandom.current().nextLong(1, 6);
      long base = storage.head();
      int old = Integer.parseInt(String.valueOf(storage.loadAt(key, base).value()));
      try {
        storage.commit(Map.of(key, Optional.of(Integer.toString(old + 1))), base);
        made++;
      } catch (ConflictException e) {
        // Somebody was faster; again from what is there now.
      }
    }
    return made;
  }

  @Test
  @DisplayName("The history keeps what its commits need, and no more")
  void pruning() throws Exception {
    try (RevisionStorage<Long, String> storage = open("&history=3")) {
      WritableStorage<Long, String> writable = (WritableStorage<Long, String>) storage;
      for (int i = 0; i < 50; i++) {
        writable.store((long) (i % 2), "v" + i);
      }
      writable.delete(0L);
      for (int i = 0; i < 4; i++) {
        writable.store(5L, "w" + i);
      }
      assertThat(storage.head()).isEqualTo(55);
      assertThat(at(storage, 1, 55)).isEqualTo("v49");
      assertThat(at(storage, 1, 52)).isEqualTo("v49");
      assertThat(at(storage, 0, 52)).isNull();
      assertThatThrownBy(() -> storage.loadAt(1L, 51)).isInstanceOf(SnapshotTooOldException.class);
      try (Connection connection = server.connect()) {
        CatalogTable catalog =
            CatalogTable.of(
                "test", connection, JdbcOptions.table(table).key("id").value("name").build());
        assertThat(server.query("SELECT count(*) FROM " + HistorySql.history(catalog)))
            .as("the row of key 1, and what the last commits made")
            .isEqualTo("5");
      }
    }
  }

  @Test
  @DisplayName("A snapshot cache over it sees both sides of every transfer of others, or none")
  void snapshots() throws Exception {
    server.execute("INSERT INTO " + table + " VALUES (1, '100'), (2, '100')");
    try (RevisionStorage<Long, String> storage = open("");
        SnapshotCache<Long, String> cache = SnapshotCache.over(storage).maximumSize(100).build()) {
      ExecutorService executor = Executors.newSingleThreadExecutor();
      Future<?> transfers =
          executor.submit(
              () -> {
                for (int i = 1; i <= 100; i++) {
                  server.execute(
                      "BEGIN",
                      "UPDATE " + table + " SET name = '" + (100 - i) + "' WHERE id = 1",
                      "UPDATE " + table + " SET name = '" + (100 + i) + "' WHERE id = 2",
                      "COMMIT");
                }
                return null;
              });
      long head = storage.head();
      while (head < 101) {
        try (Snapshot<Long, String> snapshot = cache.snapshot()) {
          head = snapshot.at();
          int one = Integer.parseInt(String.valueOf(snapshot.get(1L)));
          int two = Integer.parseInt(String.valueOf(snapshot.get(2L)));
          assertThat(one + two).as("sum at revision %d", head).isEqualTo(200);
        }
        if (transfers.isDone()) {
          transfers.get();
        }
      }
      executor.shutdown();
    }
  }

  @Test
  @DisplayName("A history whose triggers were dropped is lost to listeners until it is back")
  void droppedTriggers() throws Exception {
    PostgresInstallation installation = PostgresInstallation.of(url("&revisions=use"));
    assertThatThrownBy(
            () -> Storages.open(url("&revisions=use"), Codec.int64(), Codec.utf8()).close())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("revisions=install");
    try (RevisionStorage<Long, String> storage = open("");
        Subscription subscription = storage.commits(0, recorder)) {
      assertThat(subscription).isNotNull();
      recorder.awaitRevision(0);
      server.execute("ALTER TABLE " + table + " DISABLE TRIGGER ALL");
      recorder.await("lost", events -> events.stream().anyMatch(e -> e.kind() == Kind.LOST));
      installation.install();
      recorder.await(
          "whole", events -> events.stream().filter(e -> e.kind() == Kind.WHOLE).count() == 2);
      installation.remove();
      assertThat(installation.isInstalled()).isFalse();
      recorder.await(
          "lost", events -> events.stream().filter(e -> e.kind() == Kind.LOST).count() == 2);
      assertThatThrownBy(storage::head).isInstanceOf(StorageException.class);
      server.execute("INSERT INTO " + table + " VALUES (1, 'another history')");
      installation.install();
      recorder.await(
          "whole", events -> events.stream().filter(e -> e.kind() == Kind.WHOLE).count() == 3);
      assertThat(storage.head()).isEqualTo(1);
    }
  }
}

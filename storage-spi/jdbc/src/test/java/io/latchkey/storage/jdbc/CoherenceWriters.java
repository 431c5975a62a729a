package io.latchkey.storage.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The third party that changes rows by plain SQL while the server has trouble. Each writer has
 * pairs of its own. A transaction whose outcome is unknown may still be made later, by a session
 * that the server has not given up yet, so no statement ever sets a version back.
 */
final class CoherenceWriters implements AutoCloseable {
  private static final int MAX_WRITERS = 4;

  private final String url;
  private final String table;
  private final CountDownLatch over = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLongArray acknowledged = new AtomicLongArray(CoherenceRows.PAIRS);
  private final Thread marking = new Thread(this::mark, "marker");
  private final CountDownLatch marked = new CountDownLatch(1);
  private int writers;

  /** The last marker that was begun. */
  private final AtomicLong marker = new AtomicLong();

  final AtomicLong commits = new AtomicLong();
  final AtomicLong failures = new AtomicLong();

  CoherenceWriters(PostgresServer server, String table) {
    this.url = server.url() + "&connectTimeout=1&socketTimeout=2&loginTimeout=2";
    this.table = table;
    marking.setDaemon(true);
    marking.start();
  }

  /** Starts more of them. */
  void start(int count, long seed) {
    for (int i = 0; i < count; i++) {
      int own = writers++;
      Thread thread = new Thread(() -> write(own, new Random(seed + own)), "writer-" + own);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  private interface Work {
    void run(Statement statement) throws SQLException;
  }

  /** Works until told to stop, on a new connection whenever the one before failed. */
  private void repeat(CountDownLatch end, int pauseMillis, Work work) {
    try {
      while (end.getCount() > 0) {
        try (Connection connection = DriverManager.getConnection(url);
            Statement statement = connection.createStatement()) {
          connection.setAutoCommit(false);
          while (!end.await(pauseMillis, TimeUnit.MILLISECONDS)) {
            work.run(statement);
          }
        } catch (SQLException e) {
          failures.incrementAndGet();
          boolean ended = end.await(20, TimeUnit.MILLISECONDS);
          assert ended || end.getCount() > 0;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(int own, Random random) {
    long[] versions = new long[CoherenceRows.PAIRS];
    repeat(
        over,
        2,
        statement -> {
          int key = random.nextInt(CoherenceRows.PAIRS / MAX_WRITERS) * MAX_WRITERS + own;
          long version = ++versions[key];
          statement.execute(
              "UPDATE "
                  + table
                  + " SET value = "
                  + version
                  + " WHERE id IN ("
                  + key
                  + ", "
                  + CoherenceRows.twin(key)
                  + ") AND value::bigint < "
                  + version);
          transfer(statement, random);
          statement.getConnection().commit();
          acknowledged.set(key, version);
          commits.incrementAndGet();
        });
  }

  /** The smaller key first, so that no two writers wait for each other. */
  private void transfer(Statement statement, Random random) throws SQLException {
    int from = random.nextInt(CoherenceRows.ACCOUNTS - 1);
    int to = from + 1 + random.nextInt(CoherenceRows.ACCOUNTS - 1 - from);
    int amount = random.nextInt(2_001) - 1_000;
    add(statement, CoherenceRows.account(from), -amount);
    add(statement, CoherenceRows.account(to), amount);
  }

  private void add(Statement statement, long account, int amount) throws SQLException {
    statement.execute(
        "UPDATE "
            + table
            + " SET value = (value::bigint + ("
            + amount
            + "))::text WHERE id = "
            + account);
  }

  private void mark() {
    repeat(
        marked,
        50,
        statement -> {
          // What the text lists was acknowledged before the statement begins.
          String text =
              IntStream.range(0, CoherenceRows.PAIRS)
                  .mapToObj(key -> Long.toString(acknowledged.get(key)))
                  .collect(Collectors.joining(","));
          statement.execute(
              "INSERT INTO "
                  + table
                  + " VALUES ("
                  + -marker.incrementAndGet()
                  + ", '"
                  + text
                  + "')");
          statement.getConnection().commit();
        });
  }

  /** A marker that lists at least what is acknowledged now, once it is told. */
  long nextMarker() {
    return marker.get() + 2; // the next one may be under way, with an older list
  }

  long version(int key) {
    return acknowledged.get(key);
  }

  /** Stops the writers, not the markers. */
  void stop() throws InterruptedException {
    over.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Override
  public void close() {
    over.countDown();
    marked.countDown();
    join(marking);
  }

  private static void join(@Nullable Thread thread) {
    try {
      if (thread != null) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

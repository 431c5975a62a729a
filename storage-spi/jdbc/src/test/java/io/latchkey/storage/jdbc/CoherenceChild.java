package io.latchkey.storage.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheException;
import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.CacheTimeoutException;
import io.latchkey.cache.Snapshot;
import io.latchkey.cache.SnapshotCache;
import io.latchkey.storage.Codec;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.testkit.CallLog;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;

/**
 * A process with a cache and a snapshot cache over one table. It does what it reads, a line each,
 * and prints what its caches were told and everything that they should not have served.
 *
 * <p>Once a marker was told, every read that begins then has to see at least the versions that the
 * marker lists. The text of the marker is read through the cache itself.
 */
final class CoherenceChild implements AutoCloseable {
  private static final int BATCH = 200;
  private static final Duration LOAD_TIMEOUT = Duration.ofSeconds(2);

  /** More than any time-out, and as much again for a machine that has other work. */
  private static final Duration HANGS = Duration.ofSeconds(20);

  private final CountDownLatch over = new CountDownLatch(1);
  private final CoherenceFeed feed = new CoherenceFeed("feed", CoherenceChild::print);
  private final CoherenceFeed commits = new CoherenceFeed("commits", CoherenceChild::print);
  private final CallLog calls = new CallLog(HANGS, CoherenceChild::isClear, this::report);
  private final Storage<Long, String> watched;
  private final RevisionStorage<Long, String> revisions;
  private final Cache<Long, String> cache;
  private final SnapshotCache<Long, String> snapshots;

  /** What the caches have to serve at least. */
  private volatile long[] floor = new long[CoherenceRows.PAIRS];

  private volatile long[] snapshotFloor = new long[CoherenceRows.PAIRS];

  private CoherenceChild(String url, String table) throws Exception {
    String options = "&table=" + table + "&key=id&value=value&timeout=PT1S&connections=6";
    watched = Storages.open(url + options + "&feed=install", Codec.int64(), Codec.utf8());
    revisions =
        (RevisionStorage<Long, String>)
            Storages.<Long, String>open(
                url + options + "&revisions=install&history=1000000", Codec.int64(), Codec.utf8());
    // Smaller than what there is, so that objects come and go.
    cache =
        Cache.over(
                feed.over((WatchableStorage<Long, String>) watched, () -> newestMarker(url, table)))
            .maximumSize(150)
            .loadTimeout(LOAD_TIMEOUT)
            .build();
    snapshots =
        SnapshotCache.over(commits.over(revisions))
            .maximumSize(400)
            .loadTimeout(LOAD_TIMEOUT)
            .build();
    start(() -> adopt(feed.told, "cache", cache::get, floors -> floor = floors));
    start(() -> adopt(commits.told, "snapshot", this::now, floors -> snapshotFloor = floors));
  }

  public static void main(String[] arguments) throws Exception {
    LogManager.getLogManager().reset(); // losses are many here, and reported
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (CoherenceChild child = new CoherenceChild(arguments[0], arguments[1])) {
      print("ready");
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        child.run(line.split(" "));
      }
    }
  }

  private void run(String[] command) throws Exception {
    switch (command[0]) {
      case "readers" -> {
        start(() -> readCache(new Random(Long.parseLong(command[1]))));
        start(() -> readSnapshots(new Random(Long.parseLong(command[1]))));
      }
      case "await" -> await(Long.parseLong(command[1]), Long.parseLong(command[2]));
      case "dump" -> {
        print("contents cache=" + new TreeMap<>(cache.getAll(CoherenceRows.keys())));
        try (Snapshot<Long, String> snapshot = snapshots.snapshot()) {
          print("contents snapshot=" + new TreeMap<>(snapshot.getAll(CoherenceRows.keys())));
        }
      }
      default -> throw new IllegalArgumentException(command[0]);
    }
  }

  /** One write to the pipe, so that lines of threads do not mix. */
  private static void print(String line) {
    System.out.print(line + "\n");
    System.out.flush();
  }

  /** Unless the end has begun: calls of closed caches fail. */
  private void report(String line) {
    if (over.getCount() > 0) {
      print(line);
    }
  }

  /** An error that callers may see while the server has trouble. */
  private static boolean isClear(RuntimeException e) {
    return e instanceof CacheTimeoutException
        || e instanceof CacheLoadException
            && e.getCause() instanceof StorageException cause
            && cause.retryable();
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  private void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Throwable e) {
                report("VIOLATION a thread ended with " + e);
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  /** On a connection of its own, and not through anything that is tested. */
  private static long newestMarker(String url, String table) {
    try (Connection connection =
            DriverManager.getConnection(url + "&connectTimeout=1&socketTimeout=2&loginTimeout=2");
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT min(id) FROM " + table)) {
      rows.next();
      return Math.max(0, -rows.getLong(1));
    } catch (SQLException e) {
      return 0;
    }
  }

  private @Nullable String now(long key) {
    try (Snapshot<Long, String> snapshot = snapshots.snapshot()) {
      return snapshot.get(key);
    }
  }

  private interface Lookup {
    @Nullable String get(long key);
  }

  private interface Floors {
    void set(long[] versions);
  }

  /** Takes the newest marker that was told, and has all reads that begin later see as much. */
  private void adopt(BlockingQueue<Long> told, String name, Lookup lookup, Floors floors)
      throws InterruptedException {
    long adopted = 0;
    long wanted = 0;
    while (true) {
      if (wanted <= adopted) {
        wanted = told.take();
      }
      for (Long more = told.poll(); more != null; more = told.poll()) {
        wanted = Math.max(wanted, more);
      }
      if (wanted > adopted) {
        try {
          String text = lookup.get(-wanted);
          if (text == null) {
            print("VIOLATION marker " + wanted + " was told and cannot be seen by " + name);
            return;
          }
          floors.set(CoherenceRows.versions(text));
          adopted = wanted;
          print("floor " + name + "=" + adopted);
        } catch (CacheException e) {
          calls.failed(e);
          if (over.await(20, TimeUnit.MILLISECONDS)) {
            return;
          }
        }
      }
    }
  }

  private void readCache(Random random) throws InterruptedException {
    long[] last = new long[2 * CoherenceRows.PAIRS];
    while (!over.await(1, TimeUnit.MILLISECONDS)) {
      for (int i = 0; i < BATCH; i++) {
        long key = random.nextInt(2 * CoherenceRows.PAIRS);
        int kind = random.nextInt(8);
        calls.time(
            () -> {
              long[] least = floor; // before the read begins
              String value =
                  switch (kind) {
                    case 0 -> cache.getAll(List.of(key, (key + 1) % 100)).get(key);
                    case 1, 2 -> cache.get(key, Duration.ofSeconds(1));
                    default -> cache.get(key);
                  };
              long version = version(value);
              check("cache", key, version, least[CoherenceRows.pair(key)]);
              check("cache, to one thread,", key, version, last[(int) key]);
              last[(int) key] = version;
            });
      }
    }
  }

  private static long version(@Nullable String value) {
    return value == null ? -1 : Long.parseLong(value);
  }

  private static void check(String who, long key, long version, long least) {
    if (version < least) {
      print(
          "VIOLATION the " + who + " served version " + version + " of " + key + " after " + least);
    }
  }

  private void readSnapshots(Random random) throws InterruptedException {
    long[] last = new long[1];
    while (!over.await(1, TimeUnit.MILLISECONDS)) {
      for (int i = 0; i < BATCH / 4; i++) {
        long key = random.nextInt(CoherenceRows.PAIRS);
        boolean accounts = random.nextInt(8) == 0;
        calls.time(
            () -> {
              long[] least = snapshotFloor;
              try (Snapshot<Long, String> snapshot = snapshots.snapshot()) {
                check("head", 0, snapshot.at(), last[0]);
                last[0] = snapshot.at();
                checkPair(snapshot, key, least);
                if (accounts) {
                  checkAccounts(snapshot);
                }
              }
            });
      }
    }
  }

  private static void checkPair(Snapshot<Long, String> snapshot, long key, long[] least) {
    long version = version(snapshot.get(key));
    long twin = version(snapshot.get(CoherenceRows.twin(key)));
    check("snapshot", key, version, least[CoherenceRows.pair(key)]);
    if (twin != version) {
      print("VIOLATION a snapshot saw " + version + " and " + twin + " of the pair " + key);
    }
  }

  private static void checkAccounts(Snapshot<Long, String> snapshot) {
    long sum = 0;
    for (String amount : snapshot.getAll(CoherenceRows.accounts()).values()) {
      sum += Long.parseLong(amount);
    }
    if (sum != 0) {
      print("VIOLATION the accounts add up to " + sum + " at " + snapshot.at());
    }
  }

  /** Says so when the object is served that somebody is about to write. */
  private void await(long key, long version) throws InterruptedException {
    boolean cacheServes = version(cache.get(key)) >= version;
    boolean snapshotServes = version(now(key)) >= version;
    print("watching " + key + " " + cacheServes + " " + snapshotServes);
    while (!(cacheServes && snapshotServes)) {
      if (!cacheServes && version(cache.get(key)) >= version) {
        cacheServes = true;
        print("served cache " + version);
      }
      if (!snapshotServes && version(now(key)) >= version) {
        snapshotServes = true;
        print("served snapshot " + version);
      }
      if (over.await(1, TimeUnit.MILLISECONDS)) {
        return;
      }
    }
  }

  @Override
  public void close() {
    over.countDown();
    print("summary=" + calls);
    cache.close();
    snapshots.close();
    watched.close();
    revisions.close();
  }
}

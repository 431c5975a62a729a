package io.latchkey.storage.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheException;
import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.CacheTimeoutException;
import io.latchkey.storage.Codec;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.testkit.CallLog;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;

/**
 * A process with a cache over a server. It does what it reads, a line each, and prints what its
 * cache was told and everything that it should not have served.
 *
 * <p>Once the cache was told a marker, every read that begins then has to see at least the versions
 * that the marker lists. In default mode a server tells only what was read, so the next marker is
 * always read before it is there.
 */
final class CoherenceChild implements AutoCloseable {
  private static final int BATCH = 200;
  private static final Duration LOAD_TIMEOUT = Duration.ofSeconds(2);

  /** More than any time-out, and as much again for a machine that has other work. */
  private static final Duration HANGS = Duration.ofSeconds(20);

  private final CountDownLatch over = new CountDownLatch(1);
  private final CallLog calls = new CallLog(HANGS, CoherenceChild::isClear, this::report);
  private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
  private final RedisClient client;
  private final WatchableStorage<String, String> storage;
  private final Cache<String, String> cache;

  /** What the cache has to serve at least, by the number of the key. */
  private volatile long[] floor = new long[CoherenceKeys.COUNT];

  /**
   * What the cache has handled: a marker, or that the feed is whole again.
   *
   * @param text what the newest marker said before it was whole; null for a marker
   */
  private record Told(long marker, @Nullable String text) {}

  private CoherenceChild(int port, String feed) throws Exception {
    client =
        CoherenceWriters.client(
            RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(port)
                .withTimeout(Duration.ofSeconds(1))
                .build());
    String url =
        "redis://127.0.0.1:"
            + port
            + "?timeout=PT1S&heartbeat=PT0.5S&prefix="
            + CoherenceKeys.PREFIX
            + "&feed="
            + feed;
    storage = (WatchableStorage<String, String>) open(url);
    // Smaller than what there is, so that objects come and go.
    cache = Cache.over(new Noted()).maximumSize(60).loadTimeout(LOAD_TIMEOUT).build();
    start(this::adopt);
  }

  private static Storage<String, String> open(String url) throws StorageException {
    return Storages.open(url, Codec.utf8(), Codec.utf8());
  }

  public static void main(String[] arguments) throws Exception {
    LogManager.getLogManager().reset(); // losses are many here, and reported
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (CoherenceChild child = new CoherenceChild(Integer.parseInt(arguments[0]), arguments[1])) {
      print("ready");
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        child.run(line.split(" "));
      }
    }
  }

  private void run(String[] command) throws InterruptedException {
    switch (command[0]) {
      case "readers" -> {
        Random random = new Random(Long.parseLong(command[1]));
        start(() -> read(random));
      }
      case "await" -> await(command[1], Long.parseLong(command[2]));
      case "dump" -> print("contents=" + new TreeMap<>(cache.getAll(CoherenceKeys.keys())));
      default -> throw new IllegalArgumentException(command[0]);
    }
  }

  /** One write to the pipe, so that lines of threads do not mix. */
  private static void print(String line) {
    System.out.print(line + "\n");
    System.out.flush();
  }

  /** Unless the end has begun: calls of a closed cache fail. */
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

  /** On a connection of its own, and not through anything that is tested; null if it fails. */
  private @Nullable String newest() {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      return connection.sync().get("newest");
    } catch (RedisException e) {
      return null;
    }
  }

  /** Waits for one marker after the other, and has all reads that begin later see as much. */
  private void adopt() throws InterruptedException {
    long wanted = 1;
    long looked = 0;
    long adopted = 0;
    while (true) {
      if (looked < wanted) {
        // The storage may have it already, so that nothing more is told; the next one then.
        String text = look(wanted);
        looked = wanted;
        wanted += text == null ? 0 : 1;
        continue;
      }
      Told next = told.take();
      String text = next.text;
      if (text == null && next.marker >= wanted) {
        text = look(next.marker);
        if (text == null) {
          print("VIOLATION marker " + next.marker + " was told and cannot be seen");
          return;
        }
      }
      if (text != null) {
        long[] versions = CoherenceKeys.versions(text);
        if (versions[0] > adopted) {
          adopted = versions[0];
          floor = Arrays.copyOfRange(versions, 1, versions.length);
          print("floor=" + adopted);
        }
        wanted = Math.max(wanted, adopted + 1);
      }
      if (next.text != null) {
        looked = 0; // what was read while the feed was lost is not told
      }
    }
  }

  private @Nullable String look(long marker) throws InterruptedException {
    while (true) {
      try {
        return cache.get(CoherenceKeys.marker(marker));
      } catch (CacheException e) {
        calls.failed(e);
        if (over.await(20, TimeUnit.MILLISECONDS)) {
          throw new InterruptedException("it is over");
        }
      }
    }
  }

  private void read(Random random) throws InterruptedException {
    long[] last = new long[CoherenceKeys.COUNT];
    while (!over.await(1, TimeUnit.MILLISECONDS)) {
      for (int i = 0; i < BATCH; i++) {
        int number = random.nextInt(CoherenceKeys.COUNT);
        String key = CoherenceKeys.key(number);
        int kind = random.nextInt(8);
        calls.time(
            () -> {
              long least = floor[number]; // before the read begins
              String other = CoherenceKeys.key((number + 1) % CoherenceKeys.COUNT);
              String value =
                  switch (kind) {
                    case 0 -> cache.getAll(List.of(key, other)).get(key);
                    case 1, 2 -> cache.get(key, Duration.ofSeconds(1));
                    default -> cache.get(key);
                  };
              long version = version(value);
              check("the cache", key, version, least);
              check("the cache, to one thread,", key, version, last[number]);
              last[number] = version;
            });
      }
    }
  }

  private static long version(@Nullable String value) {
    return value == null ? -1 : Long.parseLong(value);
  }

  private static void check(String who, String key, long version, long least) {
    if (version < least) {
      print("VIOLATION " + who + " served version " + version + " of " + key + " after " + least);
    }
  }

  /** Says so when the object is served that somebody is about to write. */
  private void await(String key, long version) throws InterruptedException {
    print("watching " + key + " " + (version(cache.get(key)) >= version));
    while (version(cache.get(key)) < version) {
      if (over.await(1, TimeUnit.MILLISECONDS)) {
        return;
      }
    }
    print("served " + key + " " + version);
  }

  /** The storage, with what the cache is told noted once the cache has handled it. */
  private final class Noted implements WatchableStorage<String, String> {
    @Override
    public @Nullable String load(String key) throws Exception {
      return storage.load(key);
    }

    @Override
    public Map<String, String> loadAll(Set<? extends String> keys) throws Exception {
      return storage.loadAll(keys);
    }

    @Override
    public Subscription watch(FeedListener<String> listener) throws Exception {
      return storage.watch(
          new FeedListener<>() {
            @Override
            public void changed(long epoch, long sequence, Collection<? extends String> keys) {
              listener.changed(epoch, sequence, keys);
              for (String key : keys) {
                long marker = CoherenceKeys.marker(key);
                if (marker > 0) {
                  told.add(new Told(marker, null));
                }
              }
            }

            @Override
            public void changedAll(long epoch, long sequence) {
              listener.changedAll(epoch, sequence);
            }

            @Override
            public void lost(String reason) {
              listener.lost(reason);
              report("lost");
            }

            @Override
            public void whole(long epoch, long sequence) {
              // What is visible before the cache is told is vouched for afterwards.
              String text = newest();
              listener.whole(epoch, sequence);
              told.add(new Told(0, text == null ? none() : text));
              report("whole");
            }
          });
    }
  }

  /** The text of a marker that lists nothing. */
  private static String none() {
    return "0" + ",0".repeat(CoherenceKeys.COUNT);
  }

  @Override
  public void close() {
    over.countDown();
    print("summary=" + calls);
    cache.close();
    storage.close();
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }
}

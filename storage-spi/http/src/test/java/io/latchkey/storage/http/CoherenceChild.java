package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheException;
import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.CacheTimeoutException;
import io.latchkey.cache.CacheWriteException;
import io.latchkey.storage.Codec;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.testkit.CallLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;

/**
 * A process with a cache over the server. It writes keys of its own through the cache, reads those
 * of the other process, and prints everything that the cache should not have served.
 *
 * <p>Once the cache was told a marker of the other process, every read that begins then has to see
 * at least the versions that the marker lists.
 */
final class CoherenceChild implements AutoCloseable {
  private static final int BATCH = 100;
  private static final int WRITES_A_MARKER = 10;
  private static final Duration LOAD_TIMEOUT = Duration.ofSeconds(2);

  /** More than any time-out, and as much again for a machine that has other work. */
  private static final Duration HANGS = Duration.ofSeconds(20);

  private final CountDownLatch over = new CountDownLatch(1);
  private final CallLog calls = new CallLog(HANGS, CoherenceChild::isClear, this::report);

  /** Numbers of markers that the cache has handled. */
  private final BlockingQueue<Long> told = new LinkedBlockingQueue<>();

  private final String own;
  private final String other;
  private final String url;
  private final WatchableStorage<String, String> watched;
  private final WritableStorage<String, String> written;
  private final Cache<String, String> cache;
  private final Thread writer = new Thread(this::write, "writer");
  private volatile boolean whole;

  /** What the cache has to serve at least of the other's keys. */
  private volatile long[] floor = new long[CoherenceKeys.COUNT];

  /** The last marker of the other that is known to be written. */
  private volatile long seen;

  private CoherenceChild(String own, String other, int port) throws Exception {
    this.own = own;
    this.other = other;
    this.url = "http://127.0.0.1:" + port + "/";
    watched =
        (WatchableStorage<String, String>)
            Storages.<String, String>open(
                url + "?timeout=PT1S&connectTimeout=PT1S&heartbeat=PT1S",
                Codec.utf8(),
                Codec.utf8());
    @SuppressWarnings("unchecked") // the server's storage can be written
    WritableStorage<String, String> writable = (WritableStorage<String, String>) watched;
    written = writable;
    // Smaller than what there is, so that objects come and go.
    cache = Cache.over(new Noted()).maximumSize(400).loadTimeout(LOAD_TIMEOUT).build();
    start(this::adopt);
    writer.setDaemon(true);
  }

  public static void main(String[] arguments) throws Exception {
    LogManager.getLogManager().reset(); // losses are many here, and reported
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (CoherenceChild child =
        new CoherenceChild(arguments[0], arguments[1], Integer.parseInt(arguments[2]))) {
      print("ready");
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        child.run(line.split(" "));
      }
    }
  }

  private void run(String[] command) throws InterruptedException {
    switch (command[0]) {
      case "write" -> writer.start();
      case "read" -> {
        Random random = new Random(Long.parseLong(command[1]));
        start(() -> read(random));
      }
      case "put" -> {
        cache.put(command[1], command[2]);
        print("put " + command[1] + " " + command[2]);
      }
      case "await" -> await(command[1], command[2]);
      case "stop" -> {
        over.countDown();
        writer.join();
        print("stopped");
      }
      case "dump" -> {
        print("contents own=" + new TreeMap<>(cache.getAll(CoherenceKeys.keys(own))));
        print("contents other=" + new TreeMap<>(cache.getAll(CoherenceKeys.keys(other))));
      }
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
        || (e instanceof CacheLoadException || e instanceof CacheWriteException)
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

  /**
   * Writes versions one after the other. A key whose write failed is left alone from then on: the
   * write may still be made, so that the next one could be overwritten by it.
   */
  private void write() {
    long[] versions = new long[CoherenceKeys.COUNT];
    boolean[] unsure = new boolean[CoherenceKeys.COUNT];
    long marker = 0;
    try {
      for (int i = 0; !over.await(1, TimeUnit.MILLISECONDS); i++) {
        int number = (int) (i * 7L % CoherenceKeys.COUNT);
        if (!whole || unsure[number]) {
          continue;
        }
        try {
          cache.put(CoherenceKeys.key(own, number), Long.toString(versions[number] + 1));
          versions[number]++;
          String seenBySelf = cache.get(CoherenceKeys.key(own, number));
          check("the own cache", CoherenceKeys.key(own, number), seenBySelf, versions[number]);
          if (i % WRITES_A_MARKER == 0) {
            // A marker that failed is not written again: others may have seen it.
            marker++;
            cache.put(CoherenceKeys.marker(own, marker), CoherenceKeys.text(versions));
            print("marked=" + marker);
          }
        } catch (CacheException e) {
          unsure[number] = true;
          calls.failed(e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      report("VIOLATION the writer ended with " + e);
    }
    print("acknowledged=" + CoherenceKeys.text(versions));
  }

  /** Takes the newest marker that was told, and has all reads that begin later see as much. */
  private void adopt() throws InterruptedException {
    long adopted = 0;
    while (true) {
      long marker = told.take();
      if (marker <= adopted) {
        continue;
      }
      try {
        String text = cache.get(CoherenceKeys.marker(other, marker));
        if (text == null) {
          print("VIOLATION marker " + marker + " was told and cannot be seen");
          return;
        }
        floor = CoherenceKeys.versions(text);
        adopted = marker;
        print("floor=" + adopted);
      } catch (CacheException e) {
        calls.failed(e);
        told.add(marker); // again, or a newer one
        if (over.await(20, TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    }
  }

  private void read(Random random) throws InterruptedException {
    long[] last = new long[CoherenceKeys.COUNT];
    while (!over.await(1, TimeUnit.MILLISECONDS)) {
      for (int i = 0; i < BATCH; i++) {
        int number = random.nextInt(CoherenceKeys.COUNT);
        String key = CoherenceKeys.key(other, number);
        int kind = random.nextInt(8);
        calls.time(
            () -> {
              long least = floor[number]; // before the read begins
              String next = CoherenceKeys.key(other, (number + 1) % CoherenceKeys.COUNT);
              String value =
                  switch (kind) {
                    case 0 -> cache.getAll(List.of(key, next)).get(key);
                    case 1, 2 -> cache.get(key, Duration.ofSeconds(1));
                    case 3 -> join(cache.getAsync(key));
                    default -> cache.get(key);
                  };
              check("the cache", key, value, least);
              check("the cache, to one thread,", key, value, last[number]);
              last[number] = version(value);
            });
      }
    }
  }

  private static @Nullable String join(CompletableFuture<@Nullable String> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static long version(@Nullable String value) {
    return value == null ? 0 : Long.parseLong(value);
  }

  private static void check(String who, String key, @Nullable String value, long least) {
    if (version(value) < least) {
      print("VIOLATION " + who + " served version " + value + " of " + key + " after " + least);
    }
  }

  /** Says so when the object is served that the other process is about to write. */
  private void await(String key, String value) throws InterruptedException {
    print("watching " + key + " " + value + " " + value.equals(cache.get(key)));
    while (!value.equals(cache.get(key))) {
      if (over.await(1, TimeUnit.MILLISECONDS)) {
        return;
      }
    }
    print("served " + key + " " + value);
  }

  /**
   * The other's last marker, asked for without what is tested; the last one known if that fails.
   */
  private long newest() {
    long found = seen;
    while (exists(CoherenceKeys.marker(other, found + 1))) {
      found++;
    }
    return found;
  }

  private boolean exists(String key) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              URI.create(url + "objects/" + URLEncoder.encode(key, UTF_8)).toURL().openConnection();
      connection.setConnectTimeout(1000);
      connection.setReadTimeout(1000);
      if (connection.getResponseCode() != 200) {
        return false;
      }
      try (InputStream body = connection.getInputStream()) {
        return body.readAllBytes().length > 0;
      }
    } catch (IOException e) {
      return false;
    }
  }

  /** The storage, with what the cache is told noted once the cache has handled it. */
  private final class Noted
      implements WatchableStorage<String, String>, WritableStorage<String, String> {
    @Override
    public @Nullable String load(String key) throws Exception {
      return watched.load(key);
    }

    @Override
    public Map<String, String> loadAll(Set<? extends String> keys) throws Exception {
      return watched.loadAll(keys);
    }

    @Override
    public void store(String key, String value) throws Exception {
      written.store(key, value);
    }

    @Override
    public void delete(String key) throws Exception {
      written.delete(key);
    }

    @Override
    public Subscription watch(FeedListener<String> listener) throws Exception {
      return watched.watch(
          new FeedListener<>() {
            private long lastEpoch;
            private long lastSequence;

            @Override
            public void changed(long epoch, long sequence, Collection<? extends String> keys) {
              listener.changed(epoch, sequence, keys);
              lastSequence = sequence;
              for (String key : keys) {
                long marker = CoherenceKeys.marker(other, key);
                if (marker > 0) {
                  seen = Math.max(seen, marker);
                  told.add(marker);
                }
              }
            }

            @Override
            public void changedAll(long epoch, long sequence) {
              listener.changedAll(epoch, sequence);
              lastSequence = sequence;
            }

            @Override
            public void lost(String reason) {
              whole = false;
              listener.lost(reason);
              report("lost");
            }

            @Override
            public void whole(long epoch, long sequence) {
              // A feed that goes on where it was tells what it missed after this; of one that
              // begins
              // anew, what is visible before the cache is told is vouched for afterwards.
              boolean anew = epoch != lastEpoch || sequence != lastSequence;
              long visible = anew ? newest() : 0;
              listener.whole(epoch, sequence);
              lastEpoch = epoch;
              lastSequence = sequence;
              told.add(visible);
              seen = Math.max(seen, visible);
              whole = true;
              report("whole " + (anew ? "anew" : "again"));
            }
          });
    }
  }

  @Override
  public void close() {
    over.countDown();
    print("summary=" + calls);
    cache.close();
    watched.close();
  }
}

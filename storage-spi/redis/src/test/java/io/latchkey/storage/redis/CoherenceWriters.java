package io.latchkey.storage.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The third party that changes objects while the server has trouble. Each writer has keys of its
 * own. A write whose outcome is unknown may still be made later, from what the server had received
 * before it was frozen, so no write ever sets a version back.
 */
final class CoherenceWriters implements AutoCloseable {
  private static final int MAX_WRITERS = 4;
  private static final String RAISE =
      "local now = redis.call('GET', KEYS[1])"
          + " if not now or tonumber(now) < tonumber(ARGV[1]) then"
          + " redis.call('SET', KEYS[1], ARGV[1]) end return 1";

  private final RedisClient client;
  private final RedisURI uri;
  private final CountDownLatch over = new CountDownLatch(1);
  private final CountDownLatch marked = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLongArray acknowledged = new AtomicLongArray(CoherenceKeys.COUNT);
  private final Thread marking = new Thread(this::mark, "marker");
  private int writers;

  /** The last marker that is written; of the thread that marks. */
  private final AtomicLong marker = new AtomicLong();

  final AtomicLong writes = new AtomicLong();
  final AtomicLong failures = new AtomicLong();

  CoherenceWriters(int port) {
    uri =
        RedisURI.builder()
            .withHost("127.0.0.1")
            .withPort(port)
            .withTimeout(Duration.ofSeconds(1))
            .build();
    client = client(uri);
    marking.setDaemon(true);
    marking.start();
  }

  /** One that gives up a connection that is broken, as redis-cli does. */
  static RedisClient client(RedisURI uri) {
    RedisClient client = RedisClient.create(uri);
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            .socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
            .build());
    return client;
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
    void run(RedisCommands<String, String> commands);
  }

  /** Works until told to stop, on a new connection whenever the one before failed. */
  private void repeat(CountDownLatch end, int pauseMillis, Work work) {
    try {
      while (end.getCount() > 0) {
        try (StatefulRedisConnection<String, String> connection = client.connect(uri)) {
          while (!end.await(pauseMillis, TimeUnit.MILLISECONDS)) {
            work.run(connection.sync());
          }
        } catch (RedisException e) {
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
    long[] versions = new long[CoherenceKeys.COUNT];
    repeat(
        over,
        2,
        commands -> {
          int key = random.nextInt(CoherenceKeys.COUNT / MAX_WRITERS) * MAX_WRITERS + own;
          long version = ++versions[key];
          raise(commands, key, version);
          acknowledged.set(key, version);
          writes.incrementAndGet();
        });
  }

  private static void raise(RedisCommands<String, String> commands, int key, long version) {
    String[] keys = {CoherenceKeys.PREFIX + CoherenceKeys.key(key)};
    Long done = commands.eval(RAISE, ScriptOutputType.INTEGER, keys, Long.toString(version));
    assert done == 1;
  }

  private void mark() {
    repeat(
        marked,
        50,
        commands -> {
          // What the text lists was acknowledged before the write begins.
          String versions =
              IntStream.range(0, CoherenceKeys.COUNT)
                  .mapToObj(key -> Long.toString(acknowledged.get(key)))
                  .collect(Collectors.joining(","));
          long number = marker.get() + 1;
          String text = number + "," + versions;
          // If it was written although the answer was lost, it stays as it was told.
          commands.set(
              CoherenceKeys.PREFIX + CoherenceKeys.marker(number), text, SetArgs.Builder.nx());
          // Outside of the prefix: for who has lost the feed, and cannot be told.
          commands.set("newest", text);
          marker.set(number);
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
  public void close() throws InterruptedException {
    stop();
    marked.countDown();
    marking.join();
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }
}

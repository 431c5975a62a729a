package io.latchkey.storage.redis;

import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.redis.Layout.Remaining;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A storage on a <a href="https://redis.io">Redis</a> server or cluster, by the Lettuce client.
 * Opened by URL as {@code redis://USER:PASSWORD@HOST:PORT/DATABASE}, over TLS as {@code
 * rediss://…}, or by {@link #open}; {@link RedisOptions} has the parameters.
 *
 * <pre>{@code
 * try (RedisStorage<Long, String> users = RedisStorage.open(url, Codec.int64(), Codec.utf8())) {
 *   users.store(1L, "Ada");
 * }
 * }</pre>
 *
 * <p><b>The URL.</b> The port is 6379 and the database 0 unless told. What stands alone before the
 * {@code @} is the password of the default user; in a user or password, {@code /} is written as
 * {@code %2F}, {@code @} as {@code %40}, {@code :} in a user as {@code %3A}. With {@code
 * cluster=true} the hosts of several nodes may be named, separated by commas; one is enough. With
 * {@code rediss} the parameter {@code verifyPeer} says whether the server's certificate has to be
 * trusted and to be for that host: {@code full}, as it is unless told, {@code ca}, or {@code none}.
 *
 * <p><b>Where objects are.</b> Each object is a Redis string under the bytes of its key, after the
 * {@code prefix}. With {@code field=NAME} it is that field of a Redis hash under the same name,
 * whose other fields are left alone. With {@code hash=NAME} it is a field of the one Redis hash of
 * that name, and the bytes of its key are the name of the field; a hash is on one node of a
 * cluster.
 *
 * <p><b>Writes.</b> A write that returned is done, and as durable as the server is configured. One
 * {@code store} or {@code delete} is atomic. A {@code storeAll} takes one round trip. It is atomic,
 * up to 100,000 objects, with strings that have no {@code ttl} and with one {@code hash}, on a
 * single server; otherwise each object is stored for itself, and a failure can leave some stored
 * and others not. With {@code field} and {@code ttl} a failure can leave a hash without its time to
 * live. A write that failed with its connection, or got no answer in time, may have been done or be
 * done later. It is not repeated on a single server; on a cluster it may be, up to the time-out.
 *
 * <p><b>Time to live.</b> With the parameter {@code ttl}, Redis forgets an object that long after
 * it was stored. What others gave a time to live is forgotten as they said. A cache is told by the
 * feed when Redis deletes what expired, which may be a little later; {@link #expiring} lets it be
 * exact.
 *
 * <p><b>Threads.</b> Safe for any number of threads; all share one connection, or one to each node
 * of the cluster. A thread that is interrupted leaves at once with {@link InterruptedException},
 * and what it asked for is still done. {@link #loadAsync} completes on a thread that moves the
 * bytes of all calls.
 *
 * <p><b>Failures.</b> Calls throw {@link StorageException}, after the {@code timeout} at the
 * latest. A connection that ended is made anew by the next call; a load that it interrupted is
 * repeated once. When no call got an answer within the time-out, the connection is given up as
 * well. No message has the password. A Redis key of another type fails the load; a {@code loadAll}
 * of strings, as Redis does, takes it for absent.
 *
 * <p><b>Cost.</b> Each call is one round trip; {@link #loadAll} asks for 1,000 keys with each of
 * its commands, which are sent together.
 *
 * @param <K> the type of the keys, equal when their bytes are
 * @param <V> the type of the objects
 */
public sealed class RedisStorage<K, V> implements WritableStorage<K, V>, AsyncStorage<K, V>
    permits WatchableRedisStorage {
  /** The connection of the feed and the other one may have ended without having said so yet. */
  private static final int REPETITIONS = 2;

  final String name;
  final Codec<K> keys;
  private final Codec<V> values;
  private final Layout layout;
  private final Clients clients;
  private final Server server;
  final Failures failures;
  private final long timeoutNanos;
  private volatile boolean closed;

  RedisStorage(Opening opening, Codec<K> keys, Codec<V> values) {
    this.name = opening.url.name();
    this.keys = keys;
    this.values = values;
    this.layout = opening.layout;
    this.clients = opening.clients;
    this.server = opening.server;
    this.failures = opening.failures;
    this.timeoutNanos = opening.options.timeout().toNanos();
  }

  /**
   * Opens what the URL names, parameters included.
   *
   * @param url the URL, {@code redis://…} or {@code rediss://…}
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage, to be closed; a {@link WatchableRedisStorage} unless {@code feed=none}
   * @throws NullPointerException if an argument is null
   * @throws StorageException if the URL is malformed or the server does not let us in; the message
   *     names the mend
   */
  public static <K, V> RedisStorage<K, V> open(String url, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    StorageUrl parsed = parse(url);
    return open(RedisUrl.of(parsed), RedisOptions.of(parsed), keys, values);
  }

  /**
   * Opens the server that the URL names, with options.
   *
   * @param url the URL, {@code redis://…} or {@code rediss://…}, with no parameters but {@code
   *     verifyPeer}
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param options how it is opened
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage, to be closed; a {@link WatchableRedisStorage} unless its feed is {@link
   *     RedisOptions.Feed#NONE}
   * @throws NullPointerException if an argument is null
   * @throws StorageException if the URL is malformed or the server does not let us in; the message
   *     names the mend
   */
  public static <K, V> RedisStorage<K, V> open(
      String url, Codec<K> keys, Codec<V> values, RedisOptions options) throws StorageException {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    Objects.requireNonNull(options, "options");
    StorageUrl parsed = parse(url);
    parsed.allowParameters("verifyPeer");
    return open(RedisUrl.of(parsed, options.cluster()), options, keys, values);
  }

  private static StorageUrl parse(String url) throws StorageException {
    StorageUrl parsed = StorageUrl.parse(Objects.requireNonNull(url, "url"));
    if (!parsed.scheme().equals("redis") && !parsed.scheme().equals("rediss")) {
      throw new StorageException(
          parsed.toString(),
          "cannot open " + parsed + ": write redis://localhost:6379/0, or rediss for TLS",
          null,
          false);
    }
    return parsed;
  }

  static <K, V> RedisStorage<K, V> open(
      RedisUrl url, RedisOptions options, Codec<K> keys, Codec<V> values) throws StorageException {
    Opening opening = new Opening(url, options);
    boolean opened = false;
    try {
      opening.connect();
      RedisStorage<K, V> storage =
          options.feed() == RedisOptions.Feed.NONE
              ? new RedisStorage<>(opening, keys, values)
              : new WatchableRedisStorage<>(opening, keys, values);
      opened = true;
      return storage;
    } finally {
      if (!opened) {
        opening.abandon();
      }
    }
  }

  @Override
  public @Nullable V load(K key) throws StorageException, InterruptedException {
    byte[] encoded = keys.encode(Objects.requireNonNull(key, "key"));
    byte[] found = read(session -> layout.get(session, encoded));
    return found == null ? null : decode(found);
  }

  /**
   * {@inheritDoc}
   *
   * <p>All commands are sent together, so that it takes one round trip.
   */
  @Override
  public Map<K, V> loadAll(Set<? extends K> wanted) throws StorageException, InterruptedException {
    List<K> asked = new ArrayList<>(Objects.requireNonNull(wanted, "keys"));
    List<byte[]> encoded = new ArrayList<>(asked.size());
    for (K key : asked) {
      encoded.add(keys.encode(Objects.requireNonNull(key, "key")));
    }
    Map<K, V> found = new LinkedHashMap<>();
    if (encoded.isEmpty()) {
      checkOpen();
      return found;
    }
    List<byte @Nullable []> objects = read(session -> layout.getAll(session, encoded));
    for (int i = 0; i < asked.size(); i++) {
      byte[] object = objects.get(i);
      if (object != null) {
        found.put(asked.get(i), decode(object));
      }
    }
    return found;
  }

  @Override
  public CompletionStage<@Nullable V> loadAsync(K key) {
    return loadAsync(key, layout::get, (bytes, start) -> bytes == null ? null : decode(bytes));
  }

  final CompletionStage<@Nullable Expiring<V>> loadExpiringAsync(K key) {
    return loadAsync(
        key,
        layout::getRemaining,
        (read, start) -> {
          byte[] object = read.object();
          return object == null ? null : Expiring.of(decode(object), start, read.millis());
        });
  }

  /** Makes what the caller gets of what was read, by a call that began at some time. */
  private interface Reading<A, T> {
    @Nullable T of(A read, long start) throws StorageException;
  }

  private <A extends @Nullable Object, T> CompletionStage<@Nullable T> loadAsync(
      K key, BiFunction<Session, byte[], CompletionStage<A>> command, Reading<A, T> reading) {
    Objects.requireNonNull(key, "key");
    CompletableFuture<@Nullable T> result = new CompletableFuture<>();
    long start = System.nanoTime();
    try {
      byte[] encoded = keys.encode(key);
      var unused =
          start(true, session -> command.apply(session, encoded))
              .orTimeout(timeoutNanos, TimeUnit.NANOSECONDS)
              .whenComplete((read, failure) -> complete(result, read, failure, start, reading));
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  private <A extends @Nullable Object, T> void complete(
      CompletableFuture<@Nullable T> result,
      A read,
      @Nullable Throwable failure,
      long start,
      Reading<A, T> reading) {
    try {
      if (failure == null) {
        server.heard();
        result.complete(reading.of(read, start));
      } else if (Failures.unwrapped(failure) instanceof TimeoutException) {
        result.completeExceptionally(timedOut("read from", start));
      } else {
        result.completeExceptionally(failed("read from", failure));
      }
    } catch (Throwable e) {
      result.completeExceptionally(e); // the codec's, an Error too: whoever waits has to know
    }
  }

  @Override
  public void store(K key, V value) throws StorageException, InterruptedException {
    byte[] encoded = keys.encode(Objects.requireNonNull(key, "key"));
    byte[] object = values.encode(Objects.requireNonNull(value, "value"));
    write(session -> layout.set(session, encoded, object));
  }

  @Override
  public void delete(K key) throws StorageException, InterruptedException {
    byte[] encoded = keys.encode(Objects.requireNonNull(key, "key"));
    write(session -> layout.delete(session, encoded));
  }

  /**
   * {@inheritDoc}
   *
   * <p>All are sent together, so that it takes one round trip. The class comment says when they are
   * stored as one.
   */
  @Override
  public void storeAll(Map<? extends K, ? extends V> entries)
      throws StorageException, InterruptedException {
    Objects.requireNonNull(entries, "entries");
    List<byte[]> encoded = new ArrayList<>(entries.size());
    List<byte[]> objects = new ArrayList<>(entries.size());
    for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
      encoded.add(keys.encode(Objects.requireNonNull(entry.getKey(), "key")));
      objects.add(values.encode(Objects.requireNonNull(entry.getValue(), "value")));
    }
    if (encoded.isEmpty()) {
      checkOpen();
      return;
    }
    write(session -> layout.setAll(session, encoded, objects));
  }

  /**
   * The objects of this storage with the time that Redis lets them live, for caches that must keep
   * none longer:
   *
   * <pre>{@code
   * Cache<String, Expiring<String>> cache =
   *     Cache.over(storage.expiring())
   *         .expireAfter((key, object, now) -> object.remainingNanos())
   *         .build();
   * }</pre>
   *
   * <p>Time to live and object are read as of one moment, by a script of Redis, for which the user
   * of the URL needs to be allowed {@code EVAL}. It is an {@link AsyncStorage}, and a {@link
   * io.latchkey.storage.WatchableStorage} if this storage is one. Its {@code loadAll} sends a
   * script for each object, all at once. Closing it closes this storage.
   *
   * @return a view, not writable
   */
  public Storage<K, Expiring<V>> expiring() {
    return new ExpiringView<>(this);
  }

  final Map<K, Expiring<V>> loadExpiring(Set<? extends K> wanted)
      throws StorageException, InterruptedException {
    List<K> asked = new ArrayList<>(Objects.requireNonNull(wanted, "keys"));
    List<byte[]> encoded = new ArrayList<>(asked.size());
    for (K key : asked) {
      encoded.add(keys.encode(Objects.requireNonNull(key, "key")));
    }
    long start = System.nanoTime();
    List<Remaining> read =
        read(
            session -> {
              List<CompletableFuture<Remaining>> parts = new ArrayList<>(encoded.size());
              for (byte[] key : encoded) {
                parts.add(layout.getRemaining(session, key).toCompletableFuture());
              }
              return Session.inOrder(parts);
            });
    Map<K, Expiring<V>> found = new LinkedHashMap<>();
    for (int i = 0; i < asked.size(); i++) {
      byte[] object = read.get(i).object();
      if (object != null) {
        found.put(asked.get(i), Expiring.of(decode(object), start, read.get(i).millis()));
      }
    }
    return found;
  }

  private <T> T read(Function<Session, CompletionStage<T>> command)
      throws StorageException, InterruptedException {
    return await("read from", start(true, command));
  }

  private void write(Function<Session, CompletionStage<?>> command)
      throws StorageException, InterruptedException {
    await("write to", start(false, session -> command.apply(session).thenApply(done -> true)));
  }

  /** Sends a command; one that may be repeated is sent again if its connection ended. */
  private <T> CompletableFuture<T> start(
      boolean repeatable, Function<Session, CompletionStage<T>> command) {
    CompletableFuture<T> sent = send(command);
    for (int i = 0; repeatable && i < REPETITIONS; i++) {
      sent =
          sent.exceptionallyCompose(
              failure ->
                  !closed && Failures.isConnectionLost(failure)
                      ? send(command)
                      : CompletableFuture.failedFuture(failure));
    }
    return sent;
  }

  private <T> CompletableFuture<T> send(Function<Session, CompletionStage<T>> command) {
    return session()
        .thenCompose(
            session ->
                session
                    .ending(command.apply(session))
                    .whenComplete(
                        (result, failure) -> {
                          if (failure != null && Failures.isConnectionLost(failure)) {
                            lost(session);
                          }
                        }));
  }

  /** The session that the next command goes to. */
  CompletableFuture<Session> session() {
    return server.session();
  }

  /** A command failed with its connection. */
  void lost(Session session) {
    server.lost(session);
  }

  private <T> T await(String action, CompletableFuture<T> call)
      throws StorageException, InterruptedException {
    long start = System.nanoTime();
    try {
      T result = call.get(timeoutNanos, TimeUnit.NANOSECONDS);
      server.heard();
      return result;
    } catch (ExecutionException e) {
      throw failed(action, e);
    } catch (TimeoutException e) {
      throw timedOut(action, start);
    }
  }

  private StorageException failed(String action, Throwable failure) {
    if (Failures.unwrapped(failure) instanceof RedisCommandExecutionException) {
      server.heard();
    }
    return closed ? failures.closed() : failures.failed(action, failure);
  }

  private StorageException timedOut(String action, long start) {
    server.unanswered(start);
    return failures.timedOut(action);
  }

  final void checkOpen() throws StorageException {
    if (closed) {
      throw failures.closed();
    }
  }

  final V decode(byte[] bytes) throws StorageException {
    try {
      return values.decode(bytes);
    } catch (RuntimeException e) {
      throw new StorageException(
          name,
          "an object in "
              + name
              + " cannot be decoded: "
              + StorageException.reason(e)
              + "; open the storage with the codec that it was stored with",
          e,
          false);
    }
  }

  @Override
  public final String name() {
    return name;
  }

  /** The name; no credentials. */
  @Override
  public final String toString() {
    return getClass().getSimpleName() + "(" + name + ")";
  }

  /**
   * Ends the connections: calls under way fail, and later ones. Returns when the connections and
   * threads have ended, or four seconds later.
   */
  @Override
  public void close() {
    closed = true;
    server.close();
    clients.close();
  }
}

package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.Codec;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The objects that a Latchkey server offers over HTTP. {@link #open} asks the server what it can
 * do: what it returns is always an {@link AsyncStorage}, a {@link WritableStorage} only if the
 * server takes writes, and a {@link WatchableStorage} only if it tells changes.
 *
 * <p><b>Connections.</b> Requests share a few connections that stay open, several under way on
 * each. They are opened when they are needed and again when they end, after growing delays. A load
 * whose connection ends before its answer begins is sent once more; a write is not: it fails, and
 * the message says that its outcome is unknown. Two threads, daemons, serve all connections: one
 * those of objects, the other the feed. {@link #close} ends them.
 *
 * <p><b>Calls.</b> A call waits for its answer as long as {@link HttpOptions#timeout} says. An
 * interrupt ends the waiting, not the request; a write that was interrupted may or may not be made.
 * {@link #loadAsync} holds no thread, and completes on the event loop, where nothing may wait.
 *
 * <p><b>Feed.</b> All listeners share one connection. When it ends, or is silent for longer than
 * {@link HttpOptions#heartbeat}, they are told {@link FeedListener#lost} at once. When it is back
 * they are told {@link FeedListener#whole}: if the server still has all that they missed, at the
 * last event they heard, and the missed ones follow; else at the present. {@code watch} waits until
 * the listener is whole, and fails if the feed cannot be had. Listeners may load and store; while
 * one does, the events of all wait.
 *
 * <p><b>Failures.</b> Calls throw a {@link StorageException}, retryable if the server is down,
 * overloaded or slow, and not if the URL, the token or an answer is wrong. A listener of a server
 * that is down hears {@code lost}, once.
 *
 * <p>Thread-safe. A load costs one request, a bulk one request for each thousand keys.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public class HttpStorage<K, V> implements AsyncStorage<K, V> {
  static final String OBJECTS = "objects";
  private static final String CAPABILITIES = "capabilities";
  private static final String OCTETS = "application/octet-stream";

  /** What servers take at once, with room to spare. */
  private static final int BULK_FIELDS = 1_000;

  private static final int BULK_BYTES = 1 << 20;

  final HttpClient client;
  final Codec<K> keys;
  final Codec<V> values;
  private final boolean bulk;
  private final Feed<K> feed;

  private HttpStorage(HttpClient client, Codec<K> keys, Codec<V> values, boolean bulk) {
    this.client = client;
    this.keys = keys;
    this.values = values;
    this.bulk = bulk;
    feed = new Feed<>(client, keys);
  }

  /**
   * Opens the objects of a server; the parameters of the URL are {@link HttpOptions}.
   *
   * @param uri {@code http://HOST:PORT/BASE/} or {@code https:…}
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return an open storage with the interfaces of what the server can do
   * @throws NullPointerException if an argument is null
   * @throws StorageException if the URL is malformed, the server cannot be reached, refuses the
   *     token, or is none of Latchkey's; the message names the mend
   */
  public static <K, V> HttpStorage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    StorageUrl url = StorageUrl.of(uri);
    return open(Endpoint.of(url), HttpOptions.of(url), keys, values);
  }

  /**
   * Opens the objects of a server.
   *
   * @param uri {@code http://HOST:PORT/BASE/} or {@code https:…}, without parameters
   * @param options how; in place of the URL's parameters
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return an open storage with the interfaces of what the server can do
   * @throws NullPointerException if an argument is null
   * @throws StorageException as the other {@code open}
   */
  public static <K, V> HttpStorage<K, V> open(
      URI uri, HttpOptions options, Codec<K> keys, Codec<V> values) throws StorageException {
    Objects.requireNonNull(options, "options");
    StorageUrl url = StorageUrl.of(uri);
    url.allowParameters();
    return open(Endpoint.of(url), options, keys, values);
  }

  private static <K, V> HttpStorage<K, V> open(
      Endpoint endpoint, HttpOptions options, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    HttpClient client = new HttpClient(endpoint, options);
    boolean opened = false;
    try {
      Set<String> can = capabilities(client);
      boolean bulk = can.contains("bulk");
      HttpStorage<K, V> storage;
      if (can.contains("write")) {
        storage =
            can.contains("feed")
                ? new WatchableWritable<>(client, keys, values, bulk)
                : new Writable<>(client, keys, values, bulk);
      } else {
        storage =
            can.contains("feed")
                ? new Watchable<>(client, keys, values, bulk)
                : new HttpStorage<>(client, keys, values, bulk);
      }
      opened = true;
      return storage;
    } finally {
      if (!opened) {
        client.close(() -> {});
      }
    }
  }

  private static Set<String> capabilities(HttpClient client) throws StorageException {
    try {
      Request request = Request.get(CAPABILITIES);
      byte[] answer = Answers.body(client, request, client.call(request));
      Set<String> can =
          Set.copyOf(new String(answer, US_ASCII).lines().map(String::strip).toList());
      if (!can.contains("load")) {
        throw client.endpoint.failure(
            "cannot open "
                + client.endpoint.name()
                + ": its answer to GET capabilities does not name load: is it a Latchkey server?",
            null,
            false);
      }
      return can;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw client.endpoint.failure("interrupted while opening " + client.endpoint.name(), e, true);
    }
  }

  /** The URL that it was opened by, without parameters. */
  @Override
  public String name() {
    return client.endpoint.name();
  }

  // ---- loads

  @Override
  public @Nullable V load(K key) throws StorageException, InterruptedException {
    Request request = Request.get(path(key));
    return decoded(Answers.object(client, request, client.call(request)));
  }

  /**
   * {@inheritDoc}
   *
   * <p>It completes on the event loop of the connections. What depends on it there must not wait:
   * it would hold up all other answers, and a blocking call of this storage fails there. A
   * cancelled load leaves the others unharmed.
   */
  @Override
  public CompletionStage<@Nullable V> loadAsync(K key) {
    Request request = Request.get(path(key));
    CompletableFuture<@Nullable V> loaded = new CompletableFuture<>();
    client.send(request);
    request.answer.whenComplete(
        (answer, failure) -> {
          try {
            if (failure != null) {
              loaded.completeExceptionally(failure);
            } else {
              loaded.complete(decoded(Answers.object(client, request, answer)));
            }
          } catch (Throwable e) {
            loaded.completeExceptionally(e);
          }
        });
    return loaded;
  }

  /**
   * {@inheritDoc}
   *
   * <p>One request for each thousand keys, all under way at once; if the server has no bulk loads,
   * one for each key.
   */
  @Override
  public Map<K, V> loadAll(Set<? extends K> wanted) throws StorageException, InterruptedException {
    Objects.requireNonNull(wanted, "keys");
    Map<K, byte[]> encoded = new LinkedHashMap<>();
    for (K key : wanted) {
      encoded.put(key, encoded(key));
    }
    client.checkMayWait();
    return bulk ? loadInBulk(encoded) : loadSingly(encoded);
  }

  private Map<K, V> loadSingly(Map<K, byte[]> encoded)
      throws StorageException, InterruptedException {
    Map<K, V> found = new LinkedHashMap<>();
    Map<K, Request> requests = new LinkedHashMap<>();
    encoded.forEach(
        (key, bytes) -> requests.put(key, Request.get(OBJECTS + "/" + KeyText.encode(bytes))));
    List<Answer> answers = callAll(requests.values());
    int i = 0;
    for (Map.Entry<K, Request> each : requests.entrySet()) {
      V value = decoded(Answers.object(client, each.getValue(), answers.get(i++)));
      if (value != null) {
        found.put(each.getKey(), value);
      }
    }
    return found;
  }

  private Map<K, V> loadInBulk(Map<K, byte[]> encoded)
      throws StorageException, InterruptedException {
    Map<ByteBuffer, K> byBytes = new LinkedHashMap<>();
    encoded.forEach((key, bytes) -> byBytes.put(ByteBuffer.wrap(bytes), key));
    List<Request> requests = new ArrayList<>();
    for (List<byte[]> part : parts(encoded.values().stream().map(List::of).toList())) {
      requests.add(Request.ask(OBJECTS, Frames.encode(part)));
    }
    List<Answer> answers = callAll(requests);
    Map<K, V> found = new LinkedHashMap<>();
    for (int i = 0; i < answers.size(); i++) {
      List<byte[]> fields = fields(Answers.body(client, requests.get(i), answers.get(i)));
      for (int field = 0; field < fields.size(); field += 2) {
        K key = byBytes.get(ByteBuffer.wrap(fields.get(field)));
        if (key == null) {
          throw malformed("it has an object that was not asked for", null);
        }
        found.put(key, values.decode(fields.get(field + 1)));
      }
    }
    return found;
  }

  /** Sends all and waits for each; if one fails, or this thread is interrupted, nobody waits on. */
  private List<Answer> callAll(Iterable<Request> requests)
      throws StorageException, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before the requests were sent");
    }
    boolean done = false;
    try {
      requests.forEach(client::send);
      List<Answer> answers = new ArrayList<>();
      for (Request request : requests) {
        answers.add(client.await(request));
      }
      done = true;
      return answers;
    } finally {
      if (!done) {
        requests.forEach(request -> request.answer.cancel(false));
      }
    }
  }

  private List<byte[]> fields(byte[] body) throws StorageException {
    try {
      List<byte[]> fields = Frames.decode(ByteBuffer.wrap(body));
      if (fields.size() % 2 == 0) {
        return fields;
      }
    } catch (IllegalArgumentException e) {
      throw malformed(String.valueOf(e.getMessage()), e);
    }
    throw malformed("a key has no object", null);
  }

  private StorageException malformed(String why, @Nullable Throwable cause) {
    return client.endpoint.failure(
        "cannot take the objects of "
            + name()
            + ": "
            + why
            + ": are client and server of the same version?",
        cause,
        false);
  }

  /** Keys, or keys with their objects, in parts that a server takes at once. */
  private static List<List<byte[]>> parts(List<List<byte[]>> entries) {
    List<List<byte[]>> parts = new ArrayList<>();
    List<byte[]> part = new ArrayList<>();
    int count = 0;
    long bytes = 0;
    for (List<byte[]> entry : entries) {
      long more = 0;
      for (byte[] field : entry) {
        more += Frames.LENGTH_BYTES + field.length;
      }
      if (count > 0 && (count == BULK_FIELDS || bytes + more > BULK_BYTES)) {
        parts.add(part);
        part = new ArrayList<>();
        count = 0;
        bytes = 0;
      }
      part.addAll(entry);
      count++;
      bytes += more;
    }
    if (count > 0) {
      parts.add(part);
    }
    return parts;
  }

  private byte[] encoded(K key) {
    return keys.encode(Objects.requireNonNull(key, "key"));
  }

  private String path(K key) {
    return OBJECTS + "/" + KeyText.encode(encoded(key));
  }

  private @Nullable V decoded(byte @Nullable [] bytes) {
    return bytes == null ? null : values.decode(bytes);
  }

  // ---- writes and the feed, of those kinds that have them

  final void storeOne(K key, V value) throws StorageException, InterruptedException {
    String path = path(key);
    byte[] bytes = values.encode(Objects.requireNonNull(value, "value"));
    change(Request.put(path, OCTETS, bytes));
  }

  final void deleteOne(K key) throws StorageException, InterruptedException {
    change(Request.delete(path(key)));
  }

  final void storeMany(Map<? extends K, ? extends V> entries)
      throws StorageException, InterruptedException {
    List<List<byte[]>> encoded = new ArrayList<>();
    for (Map.Entry<? extends K, ? extends V> entry :
        Objects.requireNonNull(entries, "entries").entrySet()) {
      encoded.add(
          List.of(
              encoded(entry.getKey()),
              values.encode(Objects.requireNonNull(entry.getValue(), "value"))));
    }
    client.checkOpen();
    for (List<byte[]> part : parts(encoded)) {
      change(Request.put(OBJECTS, Frames.MEDIA_TYPE, Frames.encode(part)));
    }
  }

  private void change(Request request) throws StorageException, InterruptedException {
    Answers.body(client, request, client.call(request));
  }

  final Subscription watchFeed(FeedListener<K> listener)
      throws StorageException, InterruptedException {
    return feed.watch(Objects.requireNonNull(listener, "listener"));
  }

  /**
   * Ends the connections and threads. Calls under way fail, listeners are told {@code lost}. It
   * waits up to two seconds for each thread, which a listener or a dependent of {@link #loadAsync}
   * may hold up, and not at all on these threads themselves.
   */
  @Override
  public void close() {
    client.close(feed::farewell);
  }

  /** The name, without parameters. */
  @Override
  public String toString() {
    return name();
  }

  /** Objects that can be written. */
  private static class Writable<K, V> extends HttpStorage<K, V> implements WritableStorage<K, V> {
    Writable(HttpClient client, Codec<K> keys, Codec<V> values, boolean bulk) {
      super(client, keys, values, bulk);
    }

    @Override
    public void store(K key, V value) throws StorageException, InterruptedException {
      storeOne(key, value);
    }

    @Override
    public void delete(K key) throws StorageException, InterruptedException {
      deleteOne(key);
    }

    /** One request for each thousand objects or megabyte, one after the other. */
    @Override
    public void storeAll(Map<? extends K, ? extends V> entries)
        throws StorageException, InterruptedException {
      storeMany(entries);
    }
  }

  /** Objects whose changes are told. */
  private static final class Watchable<K, V> extends HttpStorage<K, V>
      implements WatchableStorage<K, V> {
    Watchable(HttpClient client, Codec<K> keys, Codec<V> values, boolean bulk) {
      super(client, keys, values, bulk);
    }

    @Override
    public Subscription watch(FeedListener<K> listener)
        throws StorageException, InterruptedException {
      return watchFeed(listener);
    }
  }

  /** Objects that can be written and whose changes are told. */
  private static final class WatchableWritable<K, V> extends Writable<K, V>
      implements WatchableStorage<K, V> {
    WatchableWritable(HttpClient client, Codec<K> keys, Codec<V> values, boolean bulk) {
      super(client, keys, values, bulk);
    }

    @Override
    public Subscription watch(FeedListener<K> listener)
        throws StorageException, InterruptedException {
      return watchFeed(listener);
    }
  }
}

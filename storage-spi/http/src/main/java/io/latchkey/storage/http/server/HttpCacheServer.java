package io.latchkey.storage.http.server;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheStats;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;

/**
 * Serves the objects of a storage, or of a cache, to other processes over HTTP/1.1.
 *
 * <pre>{@code
 * try (HttpCacheServer server = HttpCacheServer.over("memory:").port(0).start()) {
 *   show(server.url()); // http://127.0.0.1:PORT/
 * }
 * }</pre>
 *
 * <p><b>What it serves.</b> {@code GET}, {@code HEAD}, {@code PUT} and {@code DELETE} of {@code
 * /objects/KEY}, with entity tags and conditions; several objects at once by {@code POST} and
 * {@code PUT} of {@code /objects}; the storage's feed of changes as server-sent events at {@code
 * /changes}; {@code /metrics}, {@code /health} and {@code /capabilities}. The module's README has
 * the details.
 *
 * <p><b>How.</b> A cached object is answered by the event loop that read the request, from the
 * buffer that the cache keeps, without a copy. Everything that may block runs on other threads:
 * loads on the {@linkplain HttpCacheServerBuilder#executor executor}, writes and bulk reads on
 * threads of the server. Responses keep the order of their requests. A write is conditional ({@code
 * If-Match}, {@code If-None-Match: *}) in the storage itself where it numbers its commits ({@link
 * io.latchkey.storage.RevisionStorage}); over others only among the writers that go through this
 * server.
 *
 * <p><b>Safety.</b> Listens on the loopback address unless told otherwise, and bounds what a client
 * can make it hold: every limit has a status that tells it. TLS and a token are options. Who can
 * reach the port, and knows the token if there is one, can read and, if the storage can be written,
 * write everything.
 *
 * <p><b>Failures of the storage</b> are answered with 503 if a repetition makes sense and 502 if
 * not; nothing is cached of them.
 *
 * <p>Thread-safe.
 */
public final class HttpCacheServer implements AutoCloseable {
  private final Backend backend;
  private final Endpoint endpoint;
  private final Threads threads;

  HttpCacheServer(Backend backend, Endpoint endpoint, Threads threads) {
    this.backend = backend;
    this.endpoint = endpoint;
    this.threads = threads;
  }

  /**
   * Begins a server of the storage of a URL, which is opened by {@link
   * HttpCacheServerBuilder#start} and closed with the server. Keys and objects are the very bytes
   * that the storage holds.
   *
   * @param url the storage's URL, for example {@code mvstore:data/users.db}
   * @return a builder without options
   * @throws NullPointerException if the URL is null
   */
  public static HttpCacheServerBuilder over(String url) {
    return HttpCacheServerBuilder.of(url);
  }

  /**
   * Begins a server of a storage that the caller has opened and closes after the server.
   *
   * @param storage the storage; what else it can do is found by {@code instanceof}
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return a builder without options
   * @throws NullPointerException if an argument is null
   */
  public static <K, V> HttpCacheServerBuilder over(
      Storage<K, V> storage, Codec<K> keys, Codec<V> values) {
    return HttpCacheServerBuilder.of(storage, keys, values);
  }

  /**
   * Begins a server of a cache that the program itself uses, and closes after the server. Each
   * answer encodes its object anew, on the event loop if it is cached; there is no feed; conditions
   * hold among the writers that go through the server, not for the program's own writes. The
   * builder's options for a cache do nothing.
   *
   * @param cache the cache
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return a builder without options
   * @throws NullPointerException if an argument is null
   */
  public static <K, V> HttpCacheServerBuilder over(
      Cache<K, V> cache, Codec<K> keys, Codec<V> values) {
    return HttpCacheServerBuilder.of(cache, keys, values);
  }

  /**
   * Where the server is reached.
   *
   * @return the URL, with the port that was chosen if none was given, ending in a slash
   */
  public String url() {
    return endpoint.url();
  }

  /**
   * The port that the server listens on.
   *
   * @return the port
   */
  public int port() {
    return endpoint.port();
  }

  /**
   * How the server waits for sockets.
   *
   * @return the transport in use, never {@link Transport#AUTO}
   */
  public Transport transport() {
    return endpoint.transport();
  }

  /**
   * What the server's cache has counted.
   *
   * @return the figures as they are now
   */
  public CacheStats stats() {
    return backend.stats();
  }

  /**
   * Shuts the server down: takes no new connections, answers the requests that have arrived and
   * tells the clients that the connection ends, ends the feeds, and closes the cache and the
   * storage that it opened. Waits for this, no longer than {@link
   * HttpCacheServerBuilder#drainTimeout} for the clients; what is open then is cut off. A second
   * close waits for the first. Not to be called by an executor's thread that serves this server.
   */
  @Override
  public void close() {
    endpoint.close(
        () -> {
          try {
            backend.close();
          } finally {
            threads.close();
          }
        });
  }

  @Override
  public String toString() {
    return "HttpCacheServer of " + backend.name() + " at " + url();
  }
}

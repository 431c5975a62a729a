package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheBuilder;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The options of an {@link HttpCacheServer}, and its start. Every method returns this builder and
 * refuses a bad value with an {@link IllegalArgumentException} that names it. Not thread-safe.
 */
public final class HttpCacheServerBuilder {

  private static final String LOOPBACK = "127.0.0.1";
  private static final int CHARACTERS_OF_A_BYTE = 3; // %XX

  /** The longest time; sums of such times still fit into a long. */
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  /** What is served: makes the backend when the server starts. */
  private interface Served {
    Backend open(HttpCacheServerBuilder options, ChangeRing ring, Executor loads)
        throws StorageException;
  }

  private final Served served;
  private String host = LOOPBACK;
  private int port;
  private byte @Nullable [] token;
  private @Nullable Path certificates;
  private @Nullable Path privateKey;
  private int workers = Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 2));
  private Transport transport = Transport.AUTO;
  private Buffers buffers = Buffers.ADAPTIVE;
  private long maximumBytes = Runtime.getRuntime().maxMemory() / 4;
  private Consumer<CacheBuilder<ObjectKey, StoredObject>> cacheOptions = cache -> {};
  private @Nullable Executor executor;
  private int maxHeaderBytes = 16 * 1024;
  private int maxBodyBytes = 16 * 1024 * 1024;
  private int maxKeyBytes = 1024;
  private int maxBulkKeys = 65_536;
  private int maxPipelined = 128;
  private int maxConnections = 16_384;
  private long idleTimeout = Duration.ofSeconds(60).toNanos();
  private long requestTimeout = Duration.ofSeconds(10).toNanos();
  private long writeTimeout = Duration.ofSeconds(30).toNanos();
  private long drainTimeout = Duration.ofSeconds(10).toNanos();
  private long heartbeat = Duration.ofSeconds(5).toNanos();
  private int keptChanges = 65_536;
  private @Nullable String allowedOrigin;

  private HttpCacheServerBuilder(Served served) {
    this.served = served;
  }

  static HttpCacheServerBuilder of(String url) {
    Objects.requireNonNull(url, "url");
    Codec<ObjectKey> keys = Codec.of(key -> key.bytes().clone(), ObjectKey::new);
    return new HttpCacheServerBuilder(
        (options, ring, loads) -> {
          Storage<ObjectKey, byte[]> storage = Storages.open(url, keys, Codec.bytes());
          try {
            return options.cached(storage, keys, Codec.bytes(), ring, loads, storage);
          } catch (RuntimeException e) {
            storage.close();
            throw e;
          }
        });
  }

  static <K, V> HttpCacheServerBuilder of(Storage<K, V> storage, Codec<K> keys, Codec<V> values) {
    Objects.requireNonNull(storage, "storage");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    return new HttpCacheServerBuilder(
        (options, ring, loads) -> options.cached(storage, keys, values, ring, loads, () -> {}));
  }

  static <K, V> HttpCacheServerBuilder of(Cache<K, V> cache, Codec<K> keys, Codec<V> values) {
    Objects.requireNonNull(cache, "cache");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    return new HttpCacheServerBuilder(
        (options, ring, loads) -> new CacheBackend<>(cache, keys, values));
  }

  private <K, V> Backend cached(
      Storage<K, V> storage,
      Codec<K> keys,
      Codec<V> values,
      ChangeRing ring,
      Executor loads,
      AutoCloseable owned) {
    Source<K, V> source = Source.of(storage, keys, values, ring);
    CacheBuilder<ObjectKey, StoredObject> cache =
        Cache.over(source)
            .maximumWeight(maximumBytes)
            .weigher((key, object) -> object.weight())
            .executor(loads)
            .recordStats()
            .name("latchkey-http");
    cacheOptions.accept(cache);
    return new StorageBackend(source, cache.build(), ring, owned);
  }

  /**
   * The address to listen on; {@code 127.0.0.1} unless told. On any other than the loopback address
   * use {@link #token} and {@link #tls}, too: a warning is logged otherwise.
   *
   * @param name a host name or an address of this machine; {@code 0.0.0.0} for all of them
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public HttpCacheServerBuilder host(String name) {
    host = Objects.requireNonNull(name, "host");
    return this;
  }

  /**
   * The port to listen on; 0, which is the default, for a free one.
   *
   * @param number the port, 0 to 65,535
   * @return this builder
   * @throws IllegalArgumentException if there is no such port
   */
  public HttpCacheServerBuilder port(int number) {
    port = (int) within("port", number, 0, 65_535);
    return this;
  }

  /**
   * What clients have to send as {@code Authorization: Bearer TOKEN}; nothing unless told. All but
   * {@code /health} asks for it.
   *
   * @param secret the token, printable ASCII without spaces; not shown in any message
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is empty or has other characters
   */
  public HttpCacheServerBuilder token(String secret) {
    if (secret.isEmpty() || secret.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new IllegalArgumentException(
          "the token must be printable ASCII without spaces, and not empty");
    }
    token = secret.getBytes(UTF_8);
    return this;
  }

  /**
   * Lets scripts of web pages from elsewhere read and, where the storage can be written, write;
   * none unless told. The server's own pages, were there any, always may.
   *
   * @param origin where the pages come from, as in {@code https://app.example.org} or {@code
   *     http://localhost:3000}, or {@code *} for anywhere
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is neither; a path after the host is not part of it
   * @see <a href="https://fetch.spec.whatwg.org/#http-cors-protocol">the CORS protocol</a>
   */
  public HttpCacheServerBuilder allowOrigin(String origin) {
    allowedOrigin = Access.origin(origin);
    return this;
  }

  /**
   * Serves HTTPS; the files are read by {@link #start}.
   *
   * @param certificateChain a file of X.509 certificates in PEM, the server's first
   * @param key a file with the PKCS#8 private key in PEM, without a password
   * @return this builder
   * @throws NullPointerException if an argument is null
   */
  public HttpCacheServerBuilder tls(Path certificateChain, Path key) {
    certificates = Objects.requireNonNull(certificateChain, "certificateChain");
    privateKey = Objects.requireNonNull(key, "key");
    return this;
  }

  /**
   * How many threads serve connections, besides one that accepts them; half of the processors
   * unless told, 4 at most.
   *
   * @param threads 1 to 1,024
   * @return this builder
   * @throws IllegalArgumentException if it is another number
   */
  public HttpCacheServerBuilder workers(int threads) {
    workers = (int) within("workers", threads, 1, 1024);
    return this;
  }

  /**
   * How to wait for sockets; {@link Transport#AUTO} unless told.
   *
   * @param kind the transport
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public HttpCacheServerBuilder transport(Transport kind) {
    transport = Objects.requireNonNull(kind, "transport");
    return this;
  }

  /**
   * Where buffers come from; {@link Buffers#ADAPTIVE} unless told.
   *
   * @param kind the kind of pool
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public HttpCacheServerBuilder buffers(Buffers kind) {
    buffers = Objects.requireNonNull(kind, "buffers");
    return this;
  }

  /**
   * How much memory the cached objects may take; a quarter of the maximum heap unless told. It is
   * direct memory, which the JVM bounds by {@code -XX:MaxDirectMemorySize}, by default as much as
   * the heap; an object that was evicted is freed by the garbage collector.
   *
   * @param bytes zero or more; each object counts with 320 bytes besides its own
   * @return this builder
   * @throws IllegalArgumentException if it is negative
   */
  public HttpCacheServerBuilder maximumBytes(long bytes) {
    maximumBytes = within("maximumBytes", bytes, 0, Long.MAX_VALUE);
    return this;
  }

  /**
   * As {@link CacheBuilder#expireAfterWrite}. For storages without a feed.
   *
   * @param life how long an object is served from the cache
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public HttpCacheServerBuilder expireAfterWrite(Duration life) {
    return option("expireAfterWrite", life, cache -> cache.expireAfterWrite(life));
  }

  /**
   * As {@link CacheBuilder#cacheAbsentFor}; unless told, each request for an object that there is
   * not asks the storage.
   *
   * @param life how long an absence is remembered
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public HttpCacheServerBuilder cacheAbsentFor(Duration life) {
    return option("cacheAbsentFor", life, cache -> cache.cacheAbsentFor(life));
  }

  /**
   * As {@link CacheBuilder#staleIfError}.
   *
   * @param grace how long an expired object is served if loading it fails
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public HttpCacheServerBuilder staleIfError(Duration grace) {
    return option("staleIfError", grace, cache -> cache.staleIfError(grace));
  }

  /**
   * As {@link CacheBuilder#loadTimeout}: a load that takes longer is answered with 504.
   *
   * @param timeout how long a load may take
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public HttpCacheServerBuilder loadTimeout(Duration timeout) {
    return option("loadTimeout", timeout, cache -> cache.loadTimeout(timeout));
  }

  private HttpCacheServerBuilder option(
      String name, Duration value, Consumer<CacheBuilder<ObjectKey, StoredObject>> set) {
    nanos(name, value, 0);
    cacheOptions = cacheOptions.andThen(set);
    return this;
  }

  /**
   * What runs the loads; unless told, up to 32 threads of the server with a queue of 4,096. A load
   * that the executor refuses is answered with 503. The server does not close it.
   *
   * @param loads must not run tasks on the calling thread, which is an event loop
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public HttpCacheServerBuilder executor(Executor loads) {
    executor = Objects.requireNonNull(loads, "executor");
    return this;
  }

  /**
   * How long the header fields of a request may be together, 16 KiB unless told; more is answered
   * with 431.
   *
   * @param bytes 256 or more
   * @return this builder
   * @throws IllegalArgumentException if it is less
   */
  public HttpCacheServerBuilder maxHeaderBytes(int bytes) {
    maxHeaderBytes = (int) within("maxHeaderBytes", bytes, 256, Integer.MAX_VALUE / 2);
    return this;
  }

  /**
   * How long the body of a request may be, 16 MiB unless told; more is answered with 413. All
   * bodies together may have sixteen times as much in memory, or a quarter of the heap if that is
   * less, and past that are answered with 503.
   *
   * @param bytes zero or more
   * @return this builder
   * @throws IllegalArgumentException if it is negative
   */
  public HttpCacheServerBuilder maxBodyBytes(int bytes) {
    maxBodyBytes = (int) within("maxBodyBytes", bytes, 0, Integer.MAX_VALUE - 16);
    return this;
  }

  /**
   * How long a key may be, 1,024 bytes unless told; more is answered with 414, as is a request line
   * that could hold no shorter one.
   *
   * @param bytes 0 to 1,000,000
   * @return this builder
   * @throws IllegalArgumentException if it is another number
   */
  public HttpCacheServerBuilder maxKeyBytes(int bytes) {
    maxKeyBytes = (int) within("maxKeyBytes", bytes, 0, 1_000_000);
    return this;
  }

  /**
   * How many keys one bulk request may have, 65,536 unless told; more is answered with 413.
   *
   * @param keys 1 or more
   * @return this builder
   * @throws IllegalArgumentException if it is less
   */
  public HttpCacheServerBuilder maxBulkKeys(int keys) {
    maxBulkKeys = (int) within("maxBulkKeys", keys, 1, Integer.MAX_VALUE);
    return this;
  }

  /**
   * How many requests of one connection may be read and not yet answered, 128 unless told; more
   * stay in the client's socket until there is room.
   *
   * @param requests 1 or more
   * @return this builder
   * @throws IllegalArgumentException if it is less
   */
  public HttpCacheServerBuilder maxPipelined(int requests) {
    maxPipelined = (int) within("maxPipelined", requests, 1, 1_000_000);
    return this;
  }

  /**
   * How many connections there may be, 16,384 unless told; more are answered with 503 and closed.
   *
   * @param connections 1 or more
   * @return this builder
   * @throws IllegalArgumentException if it is less
   */
  public HttpCacheServerBuilder maxConnections(int connections) {
    maxConnections = (int) within("maxConnections", connections, 1, 10_000_000);
    return this;
  }

  /**
   * How long a connection may lie idle between two requests, a minute unless told; then it is
   * closed.
   *
   * @param time more than zero
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is not
   */
  public HttpCacheServerBuilder idleTimeout(Duration time) {
    idleTimeout = nanos("idleTimeout", time, 1);
    return this;
  }

  /**
   * How long a request may take to arrive, 10 seconds unless told; then it is answered with 408. A
   * body may take longer if it comes with 16 KiB a second.
   *
   * @param time more than zero
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is not
   */
  public HttpCacheServerBuilder requestTimeout(Duration time) {
    requestTimeout = nanos("requestTimeout", time, 1);
    return this;
  }

  /**
   * How long a client may take nothing of what is sent to it, 30 seconds unless told; then it is
   * cut off.
   *
   * @param time more than zero
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is not
   */
  public HttpCacheServerBuilder writeTimeout(Duration time) {
    writeTimeout = nanos("writeTimeout", time, 1);
    return this;
  }

  /**
   * How long {@link HttpCacheServer#close} waits for requests to be answered, 10 seconds unless
   * told.
   *
   * @param time zero or more
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public HttpCacheServerBuilder drainTimeout(Duration time) {
    drainTimeout = nanos("drainTimeout", time, 0);
    return this;
  }

  /**
   * After how long without an event {@code /changes} sends a comment, 5 seconds unless told, so
   * that clients notice a dead connection.
   *
   * @param time more than zero
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is not
   */
  public HttpCacheServerBuilder heartbeat(Duration time) {
    heartbeat = nanos("heartbeat", time, 1);
    return this;
  }

  /**
   * How many changed keys are kept for clients of {@code /changes} that come back or are slow,
   * 65,536 unless told; who needs older ones is told that they are lost.
   *
   * @param keys 1 or more
   * @return this builder
   * @throws IllegalArgumentException if it is less
   */
  public HttpCacheServerBuilder keptChanges(int keys) {
    keptChanges = (int) within("keptChanges", keys, 1, 100_000_000);
    return this;
  }

  private static long within(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          option
              + " must be "
              + (most == Long.MAX_VALUE ? least + " or more" : "from " + least + " to " + most)
              + ", not "
              + value);
    }
    return value;
  }

  private static long nanos(String option, Duration time, long least) {
    Objects.requireNonNull(time, option);
    if (time.isNegative() || time.compareTo(Duration.ofNanos(least)) < 0) {
      throw new IllegalArgumentException(
          option + " must be " + (least > 0 ? "more than zero" : "zero or more") + ", not " + time);
    }
    return (time.compareTo(FOR_EVER) > 0 ? FOR_EVER : time).toNanos();
  }

  /**
   * Opens the storage if it was given by its URL, builds the cache, and begins to listen.
   *
   * @return the server, to be closed by the caller
   * @throws StorageException if the storage cannot be opened
   * @throws io.latchkey.cache.CacheException if its feed cannot be watched
   * @throws IllegalArgumentException if the address, the transport or the files of the certificate
   *     cannot be used; the message says why. Everything is closed then
   */
  public HttpCacheServer start() throws StorageException {
    SslContext tls = sslContext();
    EventLoops loops = EventLoops.of(transport);
    long heap = Runtime.getRuntime().maxMemory();
    Limits limits =
        new Limits(
            CHARACTERS_OF_A_BYTE * maxKeyBytes + 1024,
            maxHeaderBytes,
            maxBodyBytes,
            Math.max(maxBodyBytes, Math.min(16L * maxBodyBytes, heap / 4)),
            maxKeyBytes,
            maxBulkKeys,
            maxPipelined,
            maxConnections,
            idleTimeout,
            requestTimeout,
            writeTimeout,
            drainTimeout);
    long shortest = Math.min(Math.min(idleTimeout, requestTimeout), writeTimeout);
    shortest = Math.min(shortest, heartbeat);
    AtomicReference<@Nullable Endpoint> listening = new AtomicReference<>();
    ChangeRing ring =
        new ChangeRing(
            keptChanges,
            () -> {
              Endpoint endpoint = listening.get();
              if (endpoint != null) {
                endpoint.wakeStreams();
              }
            });
    Threads threads = new Threads();
    Backend backend;
    try {
      backend = served.open(this, ring, executor != null ? executor : threads.loads());
    } catch (StorageException | RuntimeException e) {
      threads.close();
      throw e;
    }
    Requests requests =
        new Requests(
            backend,
            ring,
            limits,
            new ServerCounters(),
            threads.jobs(),
            heartbeat,
            new Access(token, allowedOrigin, Exposure.isLoopback(host)));
    Endpoint endpoint =
        new Endpoint(
            loops,
            workers,
            requests,
            tls,
            host,
            Math.max(1_000_000, Math.min(shortest / 4, 250_000_000)));
    listening.set(endpoint);
    try {
      endpoint.listen(port, EventLoops.allocator(buffers));
    } catch (RuntimeException e) {
      backend.close();
      threads.close();
      throw e;
    }
    if (!host.equals(LOOPBACK)) {
      Exposure.warn(host, token != null, tls != null);
    }
    return new HttpCacheServer(backend, endpoint, threads);
  }

  private @Nullable SslContext sslContext() {
    if (certificates == null || privateKey == null) {
      return null;
    }
    try {
      return SslContextBuilder.forServer(certificates.toFile(), privateKey.toFile())
          .sslProvider(SslProvider.JDK)
          .build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "cannot use the certificate "
              + certificates
              + " with its key "
              + privateKey
              + " ("
              + StorageException.reason(e)
              + "): give a PEM file of certificates, and one of the PKCS#8 key without a password",
          e);
    }
  }
}

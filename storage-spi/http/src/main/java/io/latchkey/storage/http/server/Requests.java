package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.http.FeedPosition;
import io.latchkey.storage.http.KeyText;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What the server does with a request. A cached object is answered on the event loop; what may
 * block goes to an executor, a load to that of the cache.
 */
final class Requests {
  static final FixedAnswer ABSENT =
      FixedAnswer.constant(404, "x-latchkey: absent\r\n", "there is no object under this key");
  static final FixedAnswer NOTHING =
      FixedAnswer.constant(404, "", "there is nothing here: try /objects/KEY or /health");
  static final FixedAnswer LATE_REQUEST =
      FixedAnswer.constant(408, "", "the request did not arrive in time: send it at once");
  static final FixedAnswer LATE_BODY =
      FixedAnswer.constant(408, "", "the body did not arrive in time: send it faster");
  static final FixedAnswer TOO_MANY =
      FixedAnswer.constant(
          503, "retry-after: 1\r\n", "there are too many connections: try again in a second");

  /** Stands for the notice that a body may be sent; no response. */
  static final FixedAnswer CONTINUE = FixedAnswer.bodiless(100, "");

  private static final FixedAnswer UNAUTHORIZED =
      FixedAnswer.constant(
          401,
          "www-authenticate: Bearer\r\n",
          "the token is missing or another one: send Authorization: Bearer TOKEN");
  private static final FixedAnswer REBOUND =
      FixedAnswer.constant(
          403,
          "",
          "the host name is none of this machine: use its address, or let the server allow the"
              + " origin of the page");
  private static final FixedAnswer HEALTHY = FixedAnswer.constant(200, "", "ok");
  private static final FixedAnswer DRAINING =
      FixedAnswer.constant(503, "retry-after: 1\r\n", "draining");
  private static final FixedAnswer NO_WRITES =
      FixedAnswer.constant(501, "", "the storage cannot be written: use GET, HEAD or POST");
  private static final FixedAnswer NO_FEED =
      FixedAnswer.constant(501, "", "the storage does not tell its changes: read anew instead");
  private static final FixedAnswer NO_LENGTH =
      FixedAnswer.constant(411, "", "the length is missing: send Content-Length or chunks");
  private static final FixedAnswer DELETED = FixedAnswer.bodiless(204, "");

  private final Backend backend;
  private final ChangeRing ring;
  private final Limits limits;
  private final ServerCounters counters;
  private final Executor jobs;
  private final long heartbeat;
  private final Access access;
  private volatile boolean draining;

  /**
   * Makes the server's side of all connections.
   *
   * @param jobs runs writes and bulk reads
   * @param heartbeat nanoseconds between comments in a feed that is silent
   * @param access who may use the server
   */
  Requests(
      Backend backend,
      ChangeRing ring,
      Limits limits,
      ServerCounters counters,
      Executor jobs,
      long heartbeat,
      Access access) {
    this.backend = backend;
    this.ring = ring;
    this.limits = limits;
    this.counters = counters;
    this.jobs = jobs;
    this.heartbeat = heartbeat;
    this.access = access;
  }

  Limits limits() {
    return limits;
  }

  Access access() {
    return access;
  }

  ServerCounters counters() {
    return counters;
  }

  /** Says from now on that the server is shutting down. */
  void drain() {
    draining = true;
  }

  static FixedAnswer malformed(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return FixedAnswer.text(414, "the request line is too long: use shorter keys");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return FixedAnswer.text(431, "the header fields are too long: send fewer");
    }
    return FixedAnswer.text(400, "the request is malformed: " + StorageException.reason(cause));
  }

  static FixedAnswer tooLarge(int limit) {
    return FixedAnswer.text(
        413, "the body is larger than " + limit + " bytes, the most that is taken: send less");
  }

  static boolean hasBody(HttpRequest request) {
    HttpHeaders headers = request.headers();
    String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
    return (length != null && !length.equals("0"))
        || headers.contains(HttpHeaderNames.TRANSFER_ENCODING);
  }

  Exchange exchange(Connection connection, HttpRequest request) {
    boolean old = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    return new Exchange(
        connection, request.method().equals(HttpMethod.HEAD), old, !HttpUtil.isKeepAlive(request));
  }

  /** Answers a request, or sees to it that it will be answered. On the event loop. */
  void handle(Connection connection, Exchange exchange, HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      connection.refuse(exchange, malformed(request.decoderResult().cause()));
      return;
    }
    FixedAnswer bad = check(request);
    if (bad != null) {
      connection.refuse(exchange, bad);
      return;
    }
    String uri = path(request.uri());
    int query = uri.indexOf('?');
    int end = query < 0 ? uri.length() : query;
    Target target = Target.of(uri, end);
    if (access.isRebound(request)) {
      end(connection, exchange, request, REBOUND);
      return;
    }
    if (access.isPreflight(request) && target != Target.NOTHING) {
      end(connection, exchange, request, access.preflight(target));
      return;
    }
    if (target != Target.HEALTH && !access.isAuthorized(request)) {
      end(connection, exchange, request, UNAUTHORIZED);
      return;
    }
    HttpMethod method = request.method();
    boolean reads = method.equals(HttpMethod.GET) || exchange.headOnly;
    if (target == Target.OBJECT && reads) {
      refuseBody(request);
      get(connection, exchange, request, key(uri, end));
    } else if (target == Target.OBJECT && method.equals(HttpMethod.PUT)) {
      put(connection, exchange, request, key(uri, end));
    } else if (target == Target.OBJECT && method.equals(HttpMethod.DELETE)) {
      delete(connection, exchange, request, key(uri, end));
    } else if (target == Target.OBJECTS && method.equals(HttpMethod.POST)) {
      receive(connection, exchange, request, BulkRequests.read(backend, limits, request));
    } else if (target == Target.OBJECTS && method.equals(HttpMethod.PUT)) {
      if (!backend.writable()) {
        end(connection, exchange, request, NO_WRITES);
      } else {
        receive(connection, exchange, request, BulkRequests.write(backend, limits, request));
      }
    } else if (target == Target.NOTHING) {
      end(connection, exchange, request, NOTHING);
    } else if (!reads || target == Target.OBJECTS) {
      throw Refusal.withFields(
          405,
          "allow: " + target.allowed + "\r\n",
          "the method " + method + " does nothing here: use " + target.allowed);
    } else {
      refuseBody(request);
      connection.answer(exchange, about(target, exchange, request, uri));
    }
  }

  private Answer about(Target target, Exchange exchange, HttpRequest request, String uri) {
    return switch (target) {
      case HEALTH -> draining ? DRAINING : HEALTHY;
      case METRICS ->
          FixedAnswer.bytes(200, MetricsText.MEDIA_TYPE, MetricsText.of(backend, counters));
      case CAPABILITIES ->
          FixedAnswer.bytes(200, "text/plain; charset=utf-8", capabilities().getBytes(UTF_8));
      case CHANGES ->
          backend.watchable()
              ? new ChangeStream(ring, position(request, uri), !exchange.old, heartbeat, counters)
              : NO_FEED;
      default -> NOTHING;
    };
  }

  private String capabilities() {
    return "load\nbulk\n"
        + (backend.writable() ? "write\n" : "")
        + (backend.watchable() ? "feed\n" : "");
  }

  /** What is wrong with a request whatever it asks for. */
  private static @Nullable FixedAnswer check(HttpRequest request) {
    HttpVersion version = request.protocolVersion();
    if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
      return FixedAnswer.text(505, "the version is not understood: use HTTP/1.1");
    }
    Iterator<? extends CharSequence> hosts =
        request.headers().valueCharSequenceIterator(HttpHeaderNames.HOST);
    boolean one = hosts.hasNext();
    if (one) {
      hosts.next();
    }
    if (hosts.hasNext() || (!one && version.equals(HttpVersion.HTTP_1_1))) {
      return FixedAnswer.text(400, "the Host field has to be there once: send Host: HOST:PORT");
    }
    return null;
  }

  /** The path and query of a target that may be a whole URL. */
  private static String path(String uri) {
    if (!uri.isEmpty() && uri.charAt(0) == '/') {
      return uri;
    }
    int authority = uri.indexOf("://");
    int path = authority < 0 ? -1 : uri.indexOf('/', authority + 3);
    return path < 0 ? "" : uri.substring(path);
  }

  /** Answers without having looked at a body, which ends the connection if there is one. */
  private static void end(
      Connection connection, Exchange exchange, HttpRequest request, FixedAnswer answer) {
    if (hasBody(request)) {
      connection.refuse(exchange, answer);
    } else {
      connection.answer(exchange, answer);
    }
  }

  private static void refuseBody(HttpRequest request) {
    if (hasBody(request)) {
      throw new Refusal(400, request.method() + " has no body here: leave it out");
    }
  }

  private ObjectKey key(String uri, int end) {
    byte[] key;
    try {
      key = KeyText.decode(uri, Target.KEY_START, end);
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, StorageException.reason(e));
    }
    if (key.length > limits.keyBytes()) {
      throw new Refusal(
          414,
          "the key has "
              + key.length
              + " bytes and may have "
              + limits.keyBytes()
              + ": shorten it");
    }
    return new ObjectKey(key);
  }

  private void get(Connection connection, Exchange exchange, HttpRequest request, ObjectKey key) {
    String condition = request.headers().get(HttpHeaderNames.IF_NONE_MATCH);
    EntityTags known = condition == null ? null : EntityTags.parse("If-None-Match", condition);
    CompletableFuture<@Nullable StoredObject> object = backend.get(key);
    if (object.isDone() && !object.isCompletedExceptionally()) {
      connection.answer(exchange, answer(object.getNow(null), known));
      return;
    }
    connection.enqueue(exchange);
    object.whenComplete(
        (found, failure) ->
            exchange.complete(failure != null ? Failures.answer(failure) : answer(found, known)));
  }

  private static Answer answer(@Nullable StoredObject object, @Nullable EntityTags known) {
    if (object == null) {
      return ABSENT;
    }
    return known != null && known.matchesWeakly(object.etag())
        ? FixedAnswer.bodiless(304, "etag: " + object.etag() + "\r\n")
        : object;
  }

  private static Conditions conditions(HttpRequest request) {
    String match = request.headers().get(HttpHeaderNames.IF_MATCH);
    String noneMatch = request.headers().get(HttpHeaderNames.IF_NONE_MATCH);
    return new Conditions(
        match == null ? null : EntityTags.parse("If-Match", match),
        noneMatch == null ? null : EntityTags.parse("If-None-Match", noneMatch));
  }

  private void put(Connection connection, Exchange exchange, HttpRequest request, ObjectKey key) {
    if (!backend.writable()) {
      end(connection, exchange, request, NO_WRITES);
      return;
    }
    Conditions conditions = conditions(request);
    receive(
        connection,
        exchange,
        request,
        body -> {
          String etag = backend.put(key, body, conditions);
          return FixedAnswer.bodiless(204, "etag: " + etag + "\r\n");
        });
  }

  private void delete(
      Connection connection, Exchange exchange, HttpRequest request, ObjectKey key) {
    refuseBody(request);
    if (!backend.writable()) {
      connection.answer(exchange, NO_WRITES);
      return;
    }
    Conditions conditions = conditions(request);
    connection.enqueue(exchange);
    run(
        exchange,
        () -> {
          backend.delete(key, conditions);
          return DELETED;
        },
        () -> {});
  }

  /** Receives the body, works on it on another thread, and answers. */
  private void receive(
      Connection connection, Exchange exchange, HttpRequest request, BulkRequests.Job job) {
    HttpHeaders headers = request.headers();
    String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
    if (length == null && !headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
      connection.answer(exchange, NO_LENGTH);
      return;
    }
    long announced = length == null ? -1 : Long.parseLong(length);
    if (announced > limits.bodyBytes()) {
      throw new Refusal(tooLarge(limits.bodyBytes()));
    }
    String expect = headers.get(HttpHeaderNames.EXPECT);
    if (expect != null && !expect.equalsIgnoreCase("100-continue")) {
      throw new Refusal(417, "Expect can be 100-continue only: leave it out");
    }
    Upload upload =
        new Upload(
            exchange,
            announced,
            limits,
            counters.bodyBytes,
            (received, body) -> run(exchange, () -> job.answer(body), received::drop));
    connection.receiveBody(upload, expect != null);
  }

  /** Something that may block. */
  private interface Work {
    Answer answer() throws Exception;
  }

  /** Works on a request that is in the queue, on another thread. */
  private void run(Exchange exchange, Work work, Runnable afterwards) {
    try {
      jobs.execute(
          () -> {
            Answer answer;
            try {
              answer = work.answer();
            } catch (Throwable e) {
              answer = Failures.answer(e);
            }
            afterwards.run();
            exchange.complete(answer);
          });
    } catch (RejectedExecutionException e) {
      afterwards.run();
      exchange.complete(Failures.BUSY);
    }
  }

  private static @Nullable FeedPosition position(HttpRequest request, String uri) {
    String id = request.headers().get("last-event-id");
    if (id == null && uri.indexOf('?') >= 0) {
      List<String> given = new QueryStringDecoder(uri).parameters().get("lastEventId");
      id = given == null ? null : given.get(0);
    }
    if (id == null || id.isEmpty()) {
      return null;
    }
    try {
      return FeedPosition.parse(id);
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, StorageException.reason(e));
    }
  }
}

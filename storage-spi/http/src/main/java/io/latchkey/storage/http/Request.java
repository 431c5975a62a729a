package io.latchkey.storage.http;

import io.netty.handler.codec.http.HttpMethod;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer to come. The answer is completed once, by the event loop or by a
 * caller that leaves; what is not final belongs to the event loop.
 */
final class Request {
  final HttpMethod method;

  /** What the path has after the base, escaped. */
  final String path;

  final @Nullable String contentType;
  final byte @Nullable [] body;

  /** Whether it may be sent once more when it is not known whether the server acted on it. */
  final boolean repeatable;

  final CompletableFuture<Answer> answer = new CompletableFuture<>();

  /** When the caller stops waiting, by {@code System.nanoTime}. */
  long deadline;

  /** Whether anything of the answer has arrived. */
  boolean begun;

  int attempts;

  private Request(
      HttpMethod method,
      String path,
      @Nullable String contentType,
      byte @Nullable [] body,
      boolean repeatable) {
    this.method = method;
    this.path = path;
    this.contentType = contentType;
    this.body = body;
    this.repeatable = repeatable;
  }

  static Request get(String path) {
    return new Request(HttpMethod.GET, path, null, null, true);
  }

  /** Asks for several objects, which changes nothing. */
  static Request ask(String path, byte[] frames) {
    return new Request(HttpMethod.POST, path, Frames.MEDIA_TYPE, frames, true);
  }

  static Request put(String path, String contentType, byte[] body) {
    return new Request(HttpMethod.PUT, path, contentType, body, false);
  }

  static Request delete(String path) {
    return new Request(HttpMethod.DELETE, path, null, null, false);
  }

  /** What a message about a failure after the request was sent has to add. */
  String outcome() {
    return repeatable
        ? ""
        : "; whether the change was made is unknown: load the object before you repeat it";
  }
}

package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.storage.StorageException;
import org.jspecify.annotations.Nullable;

/** What the status of an answer means. */
final class Answers {
  private static final int FORBIDDEN = 403;
  private static final int UNAUTHORIZED = 401;
  private static final int NOT_FOUND = 404;
  private static final int TEXT_LENGTH = 300;

  private Answers() {}

  /** The bytes of an object, or null if the server says that there is none. */
  static byte @Nullable [] object(HttpClient client, Request request, Answer answer)
      throws StorageException {
    if (answer.status() == NOT_FOUND && answer.absent()) {
      return null;
    }
    return body(client, request, answer);
  }

  /** The body of a success. */
  static byte[] body(HttpClient client, Request request, Answer answer) throws StorageException {
    if (!answer.success()) {
      throw failure(client, request, answer);
    }
    return answer.body();
  }

  static StorageException failure(HttpClient client, Request request, Answer answer) {
    int status = answer.status();
    String text = text(client.options, answer.body());
    String why =
        client.endpoint.name()
            + " answered "
            + request.method
            + " with "
            + status
            + (text.isEmpty() ? "" : ", '" + text + "'");
    boolean retryable = false;
    switch (status) {
      case UNAUTHORIZED, FORBIDDEN ->
          why +=
              client.options.token() == null
                  ? ": give the server's token as ?token=…"
                  : ": the token is not the server's, give that one as ?token=…";
      case NOT_FOUND ->
          why += ": it does not know the path, is the base path of the URL the server's?";
      case 300, 301, 302, 303, 307, 308 ->
          why +=
              answer.location() == null
                  ? ": redirects are not followed, open the URL itself"
                  : ": redirects are not followed, open "
                      + clean(client.options, answer.location())
                      + " if it is the server";
      case 408, 429, 503, 504 -> {
        retryable = true;
        why += ": try again";
      }
      default -> {
        if (text.isEmpty()) {
          why += ": is this a Latchkey server?";
        }
      }
    }
    boolean undone = status == UNAUTHORIZED || status == NOT_FOUND || status == 429;
    return client.endpoint.failure(
        undone || status < 500 ? why : why + request.outcome(), null, retryable);
  }

  private static String text(HttpOptions options, byte[] body) {
    return clean(options, new String(body, UTF_8));
  }

  /** What a stranger sent, as one line without credentials; the exception redacts URLs. */
  private static String clean(HttpOptions options, String text) {
    String line = text.replaceAll("[\\p{Cntrl}\\s\uFFFD]+", " ").strip();
    String token = options.token();
    String harmless = token == null ? line : line.replace(token, "***");
    return harmless.length() > TEXT_LENGTH ? harmless.substring(0, TEXT_LENGTH) + "…" : harmless;
  }
}

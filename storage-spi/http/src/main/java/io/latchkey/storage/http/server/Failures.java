package io.latchkey.storage.http.server;

import io.latchkey.cache.CacheException;
import io.latchkey.cache.CacheTimeoutException;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** What a failed read or write is answered with. */
final class Failures {
  private static final System.Logger LOG = System.getLogger("io.latchkey.storage.http");

  private static final String RETRY = "retry-after: 1\r\n";

  static final FixedAnswer BUSY =
      FixedAnswer.constant(503, RETRY, "too much is being loaded already: try again in a second");

  static final FixedAnswer ENDING =
      FixedAnswer.constant(503, RETRY, "the server is shutting down: try again in a second");

  private Failures() {}

  static FixedAnswer answer(Throwable failure) {
    Throwable cause = failure;
    while (true) {
      if (cause instanceof Refusal refusal) {
        return refusal.answer();
      }
      if (cause instanceof RejectedExecutionException) {
        return BUSY;
      }
      if (cause instanceof CacheTimeoutException) {
        return FixedAnswer.text(504, "the load took too long: try again");
      }
      if (cause instanceof StorageException e) {
        String message = "the storage failed: " + StorageUrl.redact(String.valueOf(e.getMessage()));
        return e.retryable()
            ? FixedAnswer.text(503, RETRY, message)
            : FixedAnswer.text(502, message);
      }
      @Nullable Throwable next = cause.getCause();
      if (!(cause instanceof CacheException || cause instanceof CompletionException)
          || next == null) {
        break;
      }
      cause = next;
    }
    if (failure instanceof IllegalStateException) {
      return ENDING; // the cache is closed; what a storage throws comes wrapped
    }
    // Not of this project, so that nobody knows what its message may hold.
    LOG.log(System.Logger.Level.DEBUG, "a request failed", failure);
    return FixedAnswer.text(
        502, "the storage failed with " + cause.getClass().getName() + ": see its own log");
  }
}

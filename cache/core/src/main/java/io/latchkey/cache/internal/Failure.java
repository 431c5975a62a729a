package io.latchkey.cache.internal;

import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.CacheTimeoutException;
import io.latchkey.cache.StorageInconsistencyException;
import org.jspecify.annotations.Nullable;

/** The outcome of a flight that brought no answer; each caller gets an exception of its own. */
final class Failure {
  private enum Kind {
    LOAD,
    TIMEOUT,
    INCONSISTENT,
    CLOSED
  }

  private final Kind kind;
  private final String message;
  private final @Nullable Throwable cause;

  private Failure(Kind kind, String message, @Nullable Throwable cause) {
    this.kind = kind;
    this.message = message;
    this.cause = cause;
  }

  static Failure load(String message, Throwable cause) {
    return new Failure(Kind.LOAD, message, cause);
  }

  /** The storage contradicted itself. */
  static Failure inconsistent(String message) {
    return new Failure(Kind.INCONSISTENT, message, null);
  }

  static Failure timeout(String message) {
    return new Failure(Kind.TIMEOUT, message, null);
  }

  static Failure closed(String message) {
    return new Failure(Kind.CLOSED, message, null);
  }

  RuntimeException exception() {
    // No switch: it would add a class, which an exhausted stack can make unusable.
    if (kind == Kind.LOAD) {
      return new CacheLoadException(message, cause);
    }
    if (kind == Kind.INCONSISTENT) {
      return new StorageInconsistencyException(message, null);
    }
    return kind == Kind.TIMEOUT
        ? new CacheTimeoutException(message, null)
        : new IllegalStateException(message);
  }

  /** Text for a message; never throws, whatever the key's {@code toString} does. */
  static String text(Object key) {
    try {
      return String.valueOf(key);
    } catch (Throwable broken) {
      return "a " + key.getClass().getName();
    }
  }
}

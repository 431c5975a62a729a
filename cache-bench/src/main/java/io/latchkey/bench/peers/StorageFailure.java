package io.latchkey.bench.peers;

/** A storage failed under a cache that has no exception of its own for that. */
public final class StorageFailure extends RuntimeException {
  StorageFailure(Throwable cause) {
    super(String.valueOf(cause.getMessage()), cause);
  }
}

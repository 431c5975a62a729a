package io.latchkey.storage.testkit;

/** Throws any throwable as it is, so that a test can make a storage throw what it must not. */
final class Sneaky {
  private Sneaky() {}

  /** Throws the failure; declared to return, so that the caller can write {@code throw}. */
  static RuntimeException raise(Throwable failure) {
    return Sneaky.<RuntimeException>raiseAs(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T raiseAs(Throwable failure) throws T {
    throw (T) failure;
  }
}

package io.latchkey.cache.testing;

/** Throws what a signature does not allow, as code from other languages of the JVM does. */
public final class Sneaky {
  private Sneaky() {}

  /** Throws this, checked or not; never returns. */
  public static <T> T raise(Throwable failure) {
    return Sneaky.<T, RuntimeException>unchecked(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T, X extends Throwable> T unchecked(Throwable failure) throws X {
    throw (X) failure;
  }
}

package io.latchkey.cache.testing;

import org.jspecify.annotations.Nullable;

/**
 * How a call ended: with a value (null for absent) or a failure, and whether the interrupt flag was
 * set when it did.
 */
public record Outcome<T>(@Nullable T result, @Nullable Throwable failure, boolean interrupted) {
  /** The value; fails if the call failed. */
  public @Nullable T value() {
    if (failure != null) {
      throw new AssertionError("the call was to return, but threw " + failure, failure);
    }
    return result;
  }

  /** What was thrown, as this type; fails if the call returned or threw something else. */
  public <X extends Throwable> X failure(Class<X> type) {
    if (failure == null) {
      throw new AssertionError(
          "the call was to throw " + type.getSimpleName() + ", but returned " + result);
    }
    if (!type.isInstance(failure)) {
      throw new AssertionError(
          "the call was to throw " + type.getSimpleName() + ", but threw " + failure, failure);
    }
    return type.cast(failure);
  }
}

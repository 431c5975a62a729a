package io.latchkey.cache.testing;

import org.jspecify.annotations.Nullable;

/**
 * A key that throws from {@code equals} or {@code hashCode} when told to. All have one hash, so
 * that looking for one compares it with the others. Of the two that are compared either may throw.
 */
public final class TouchyKey {
  private final String name;
  private volatile @Nullable Throwable onEquals;
  private volatile @Nullable Throwable onHash;

  /** A key that behaves until told otherwise. */
  public TouchyKey(String name) {
    this.name = name;
  }

  /** From now on every comparison with this key, on either side, throws; null ends that. */
  public TouchyKey throwOnEquals(@Nullable Throwable failure) {
    onEquals = failure;
    return this;
  }

  /** From now on hashing this key throws; null ends that. */
  public TouchyKey throwOnHash(@Nullable Throwable failure) {
    onHash = failure;
    return this;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    complain(onEquals);
    if (!(other instanceof TouchyKey that)) {
      return false;
    }
    if (this != that) {
      complain(that.onEquals);
    }
    return name.equals(that.name);
  }

  @Override
  public int hashCode() {
    complain(onHash);
    return 7;
  }

  private static void complain(@Nullable Throwable failure) {
    if (failure != null) {
      Sneaky.raise(failure);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}

package io.latchkey.cache.testing;

/** A key whose hash is that of every other, and that cannot be compared. */
public record CollidingKey(String name) {
  /** The key of this number. */
  public static CollidingKey of(int number) {
    return new CollidingKey("k" + number);
  }

  @Override
  public int hashCode() {
    return 42;
  }

  @Override
  public String toString() {
    return name;
  }
}

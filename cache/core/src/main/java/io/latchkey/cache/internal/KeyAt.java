package io.latchkey.cache.internal;

/**
 * What a look-up of a cache over revisions asks for; the key of its flight, and so of the entry
 * that the flight becomes.
 */
record KeyAt(Object key, long at) {
  /** That of the key, under which the history stands in the table. */
  @Override
  public int hashCode() {
    return key.hashCode();
  }

  @Override
  public String toString() {
    return Failure.text(key) + " as of revision " + at;
  }
}

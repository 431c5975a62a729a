package io.latchkey.cache;

/** Why an object left the cache. */
public enum RemovalCause {
  /** It was invalidated or removed, by a caller or by the storage's feed. */
  INVALIDATED,
  /** A put, a refresh or a reload replaced it. */
  REPLACED,
  /** The eviction policy threw it out. */
  EVICTED,
  /** Its time was over. */
  EXPIRED
}

package io.latchkey.cache;

/** Why an object left the cache. */
public enum RemovalCause {
  /**
   * It was invalidated or removed, by a caller or by the storage's feed; or the store of another
   * object failed, or a refresh found it absent.
   */
  INVALIDATED,
  /** A put or a refresh brought another object, whether that is kept or not. */
  REPLACED,
  /** The policy threw it out, to keep the bound. */
  EVICTED,
  /** Its time was over when a sweep, a load, a put or an invalidation came across it. */
  EXPIRED
}

package io.latchkey.storage;

import java.util.Collection;

/** Receives the invalidation feed of a {@link WatchableStorage}. */
public interface FeedListener<K> {
  /** These keys changed. */
  void changed(long epoch, long sequence, Collection<? extends K> keys);

  /** Any key may have changed: flush, truncate, overflow. */
  void changedAll(long epoch, long sequence);

  /** Events may be missing from here on. */
  void lost(String reason);

  /** The feed is complete again from here on. */
  void whole(long epoch, long sequence);
}

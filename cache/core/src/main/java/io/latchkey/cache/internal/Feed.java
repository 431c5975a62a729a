package io.latchkey.cache.internal;

import io.latchkey.storage.FeedListener;
import java.lang.System.Logger;
import java.util.Collection;

/**
 * What a cache does with the events of its storage's feed.
 *
 * <p>Between {@code lost} and {@code whole}, and before the first {@code whole}, there is a gap:
 * what is loaded then is not kept. The order of the steps makes that exact: the gap is opened
 * before everything is dropped, and everything is dropped once more, loads under way included,
 * before it is closed. A hole in the sequence, or a new epoch without {@code lost}, means that
 * events were missed before this one, so everything is dropped; events of the past that come late
 * only invalidate once more.
 */
final class Feed<K> implements FeedListener<K> {
  private static final Logger LOG = System.getLogger("io.latchkey.cache");

  /** The cache as the feed sees it. */
  interface Target<K> {
    /** Drops these keys, unless this thread is storing them right now. */
    void changed(Collection<? extends K> keys);

    void invalidateAll();

    void gap(boolean open);
  }

  private final Target<K> target;
  private final String storageName;

  /** The position of the last event; the monitor guards these. */
  private boolean known;

  private boolean gap = true;
  private long epoch;
  private long sequence;

  Feed(Target<K> target, String storageName) {
    this.target = target;
    this.storageName = storageName;
  }

  @Override
  public void changed(long epoch, long sequence, Collection<? extends K> keys) {
    boolean done = false;
    try {
      if (missed(epoch, sequence)) {
        target.invalidateAll();
      }
      target.changed(keys);
      done = true;
    } finally {
      if (!done) {
        target.invalidateAll(); // a key that cannot be hashed or compared spares no other
      }
    }
  }

  @Override
  public void changedAll(long epoch, long sequence) {
    missed(epoch, sequence);
    target.invalidateAll();
  }

  @Override
  public void lost(String reason) {
    LOG.log(Logger.Level.INFO, "the feed of {0} is lost: {1}", storageName, reason);
    synchronized (this) {
      gap = true;
    }
    target.gap(true);
    target.invalidateAll();
  }

  @Override
  public void whole(long epoch, long sequence) {
    boolean missed = missed(epoch, sequence);
    boolean open;
    synchronized (this) {
      open = gap;
      gap = false;
    }
    if (open || missed) {
      target.invalidateAll();
    }
    if (open) {
      target.gap(false);
    }
  }

  /** Notes the position; true if events between the last position and this one did not come. */
  private synchronized boolean missed(long epoch, long sequence) {
    boolean sameEpoch = known && epoch == this.epoch;
    if (sameEpoch && sequence <= this.sequence) {
      return false;
    }
    boolean missed = known && (!sameEpoch || sequence != this.sequence + 1);
    known = true;
    this.epoch = epoch;
    this.sequence = sequence;
    return missed;
  }
}

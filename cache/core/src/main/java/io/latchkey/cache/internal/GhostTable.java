package io.latchkey.cache.internal;

/**
 * Remembers of evicted entries when they were last known to be used. A ghost is 20 bits, twelve of
 * a fingerprint and eight of coarse time; three share a {@code long}, twelve make a bucket, where
 * the oldest gives way. Fewer bits of fingerprint take strangers for ghosts, which lets loops wash
 * main out: with nine bits the hit ratio on loops fell by a point. Smaller buckets overflow sooner
 * and forget some ghosts too early: with nine to a bucket a trace of mixed loops lost half a point.
 * Not thread-safe.
 */
final class GhostTable {
  private static final int TIME_BITS = 8;
  private static final int GHOST_BITS = 20;
  private static final int WORDS = 4;
  private static final int GHOSTS_A_BUCKET = 12;
  private static final int LAST_SHIFT = 2 * GHOST_BITS;
  private static final int TIME_MASK = (1 << TIME_BITS) - 1;
  private static final int GHOST_MASK = (1 << GHOST_BITS) - 1;
  private static final int FINGERPRINT_MASK = GHOST_MASK >>> TIME_BITS;

  private final long[] words;
  private final int buckets;

  /**
   * An empty table.
   *
   * @param size about how many ghosts it holds; 8 bytes for three
   */
  GhostTable(long size) {
    long rounded = (size + GHOSTS_A_BUCKET / 2) / GHOSTS_A_BUCKET;
    buckets = (int) Math.min(1 << 28, Math.max(1, rounded));
    words = new long[buckets * WORDS];
  }

  private int bucket(long hash) {
    return (int) (((hash & 0xffffffffL) * buckets) >>> 32) * WORDS;
  }

  /** Never 0, which is the fingerprint of an empty place. */
  private static int fingerprint(long hash) {
    return Math.max(1, (int) (hash >>> 32) & FINGERPRINT_MASK);
  }

  private static int ghost(long word, int shift) {
    return (int) (word >>> shift) & GHOST_MASK;
  }

  private void set(int at, int shift, long ghost) {
    words[at] = (words[at] & ~((long) GHOST_MASK << shift)) | ghost << shift;
  }

  /** Remembers a hash with the time of its last use; times are in coarse units. */
  void put(long hash, int time, int now) {
    int base = bucket(hash);
    int place = base;
    int placeShift = 0;
    int oldest = -1;
    for (int at = base; at < base + WORDS; at++) {
      long word = words[at];
      for (int shift = 0; shift <= LAST_SHIFT; shift += GHOST_BITS) {
        int ghost = ghost(word, shift);
        int age = ghost == 0 ? Integer.MAX_VALUE : (now - ghost) & TIME_MASK;
        if (age > oldest) {
          oldest = age;
          place = at;
          placeShift = shift;
        }
      }
    }
    set(place, placeShift, fingerprint(hash) << TIME_BITS | (time & TIME_MASK));
  }

  /** Takes a hash out and returns its age in coarse units, or -1 if it is not known. */
  int take(long hash, int now) {
    int base = bucket(hash);
    int wanted = fingerprint(hash);
    for (int at = base; at < base + WORDS; at++) {
      long word = words[at];
      for (int shift = 0; shift <= LAST_SHIFT; shift += GHOST_BITS) {
        int ghost = ghost(word, shift);
        if (ghost >>> TIME_BITS == wanted) {
          set(at, shift, 0);
          return (now - ghost) & TIME_MASK;
        }
      }
    }
    return -1;
  }
}

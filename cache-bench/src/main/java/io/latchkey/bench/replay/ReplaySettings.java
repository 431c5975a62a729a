package io.latchkey.bench.replay;

import io.latchkey.bench.keys.Trace;
import io.latchkey.bench.peers.Implementation;
import java.util.List;

/**
 * What is replayed.
 *
 * @param trace the reads
 * @param sizes bounds of the caches, in objects
 * @param implementations caches that take turns
 * @param runs how often each replays the trace at each size, into an empty cache
 */
public record ReplaySettings(
    Trace trace, List<Integer> sizes, List<Implementation> implementations, int runs) {
  /** Keeps copies of the lists. */
  public ReplaySettings {
    sizes = List.copyOf(sizes);
    implementations = List.copyOf(implementations);
  }

  /** How many times the trace is gone through. */
  public int passes() {
    return sizes.size() * (implementations.size() * runs + Replay.EXACT.size());
  }
}

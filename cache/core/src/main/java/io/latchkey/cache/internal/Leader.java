package io.latchkey.cache.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A thread in its role as runner of loads; one for each thread that ever led one, so that a miss
 * allocates no token.
 *
 * <p>{@code waitingOn} is volatile: it is written before the thread looks for a cycle, so that of
 * the threads that close a cycle the last one sees all edges (see {@link WaitCycle}).
 */
final class Leader extends Token {
  private static final ThreadLocal<Leader> LEADERS = ThreadLocal.withInitial(Leader::new);

  /**
   * Which threads may have one, a bit for each number modulo the bits. Bits are never cleared:
   * where very many threads have led loads, a thread may be taken for one of them.
   */
  private static final AtomicLongArray KNOWN = new AtomicLongArray(1024);

  final Thread thread = Thread.currentThread();

  /**
   * The number of loads that this thread is inside of; only the thread itself touches it. A load
   * ends by plain writes here and to {@code loading}, since a call may fail on an exhausted stack.
   */
  int depth;

  /** The keys of those loads, the outermost first; of a bulk load, the set of its keys. */
  @Nullable Object[] loading = new Object[4];

  /** What this thread waits for from inside a load; null when it waits for nothing. */
  volatile Entry @Nullable [] waitingOn;

  private Leader() {
    int bit = bit();
    long bits;
    do {
      bits = KNOWN.get(bit >>> 6);
    } while (!KNOWN.compareAndSet(bit >>> 6, bits, bits | 1L << bit));
  }

  private static int bit() {
    return (int) Thread.currentThread().getId() & (64 * KNOWN.length() - 1);
  }

  static Leader current() {
    return LEADERS.get();
  }

  /** The one of this thread; most likely null, and nothing allocated, if it never led a load. */
  static @Nullable Leader known() {
    int bit = bit();
    return (KNOWN.get(bit >>> 6) & 1L << bit) == 0 ? null : LEADERS.get();
  }

  /** Whether this thread is inside of no load. */
  static boolean idle() {
    Leader me = known();
    return me == null || me.depth == 0;
  }

  /**
   * A load begins.
   *
   * @return the depth to go back to when it ends
   */
  int enter(Object key) {
    int outer = depth;
    if (outer == loading.length) {
      loading = Arrays.copyOf(loading, outer * 2);
    }
    loading[outer] = key;
    depth = outer + 1;
    return outer;
  }

  /** The keys of the loads from that of this key inwards. */
  List<Object> pathFrom(Object key) {
    List<Object> path = new ArrayList<>();
    for (int i = depth - 1; i >= 0; i--) {
      Object at = loading[i];
      if (at != null) {
        path.add(0, at);
      }
      if (at == key) {
        break;
      }
    }
    return path.isEmpty() ? List.of(key) : path;
  }

  @Override
  Leader leader() {
    return this;
  }
}

package io.latchkey.cache.internal;

import io.latchkey.cache.CacheInterruptedException;
import io.latchkey.cache.RecursiveLoadException;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.CompletableFuture;

/**
 * Finds out that the stack is nearly exhausted before something is begun that must not stop
 * half-way: a thread pool whose own bookkeeping overflows keeps its lock locked for ever.
 *
 * <p>The virtual machine never initializes a class again whose first initialization ran out of
 * stack. So what a cache needs later is initialized when the first cache is built.
 */
final class Headroom {
  /** Frames of about a hundred bytes; handing a task to a pool takes a tenth of that. */
  private static final int FRAMES = 128;

  static {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    try {
      for (Class<?> type :
          new Class<?>[] {
            Entry.class,
            TimedEntry.class,
            WeighedEntry.class,
            ExpiringEntry.class,
            Reload.class,
            Leader.class,
            Leavers.class,
            Task.Purpose.class,
            Launcher.class,
            LoadTask.class,
            BulkLoad.class,
            Joins.class,
            Waiter.OfThread.class,
            Waiter.OfFuture.class,
            Waiter.OfBulk.class,
            Waiter.BulkWait.class,
            Interruption.class,
            CacheInterruptedException.class,
            RecursiveLoadException.class,
            CompletableFuture.class
          }) {
        lookup.ensureInitialized(type);
      }
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
    Failure.load(Failure.text("key"), new StackOverflowError()).exception();
  }

  private Headroom() {}

  /**
   * Costs less than a microsecond.
   *
   * @throws StackOverflowError if there is not room enough
   */
  static void ensure() {
    if (descend(FRAMES, 1, 2, 3, 4, 5, 6, 7, 8) < 0) {
      throw new AssertionError("counts up");
    }
  }

  // Arguments that change places have to be in the frame, whatever the compiler makes of it.
  private static long descend(
      int frames, long a, long b, long c, long d, long e, long f, long g, long h) {
    return frames == 0 ? a + h : descend(frames - 1, b, c, d, e, f, g, h, a) + 1;
  }
}

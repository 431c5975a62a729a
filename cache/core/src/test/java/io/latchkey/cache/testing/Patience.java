package io.latchkey.cache.testing;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what must happen, up to a limit that only a broken cache ever reaches. */
public final class Patience {
  /** Far beyond any scheduling delay, so that only a lost wake-up or a deadlock reaches it. */
  public static final long LIMIT_SECONDS = 30;

  private Patience() {}

  /** Waits until the condition holds; fails with what was waited for when it never does. */
  public static void until(String what, BooleanSupplier condition) {
    until(() -> what, condition);
  }

  /** Waits until the condition holds; the message is only built when it never does. */
  public static void until(Supplier<String> what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("never happened: " + what.get());
      }
      Thread.onSpinWait();
      Thread.yield();
    }
  }

  /** Waits for a latch, not minding interrupts; the flag is kept. */
  public static void await(CountDownLatch latch, String what) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (latch.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            return;
          }
          throw new AssertionError("never happened: " + what);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

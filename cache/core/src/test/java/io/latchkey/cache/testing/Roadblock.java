package io.latchkey.cache.testing;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** A place in user code that holds one thread, the first to pass once it is armed. */
public final class Roadblock {
  private final AtomicBoolean armed = new AtomicBoolean();
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);

  /** Holds the next thread that passes. */
  public Roadblock arm() {
    armed.set(true);
    return this;
  }

  /** User code calls this; interrupts do not end the hold. */
  public void pass() {
    if (armed.compareAndSet(true, false)) {
      held.countDown();
      Patience.await(opened, "the test opens the roadblock");
    }
  }

  /** Waits until a thread is held. */
  public void awaitHeld() {
    Patience.await(held, "a thread comes to the roadblock");
  }

  /** Lets the held thread go on; later ones pass. */
  public void open() {
    armed.set(false);
    opened.countDown();
  }
}

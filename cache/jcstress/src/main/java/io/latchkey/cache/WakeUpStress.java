package io.latchkey.cache;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;

/** A worker that is handed a task wakes, however far it has got on its way to be parked. */
@JCStressTest(Mode.Termination)
@Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "woken")
@Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "the wake-up was lost")
public class WakeUpStress {
  /** With an endless idle time, so that nothing else wakes the worker. */
  private static final LoaderPool POOL =
      LoaderPool.builder().idleTime(Duration.ofSeconds(Long.MAX_VALUE)).build();

  private volatile @Nullable PoolWorker worker;

  @Actor
  public void worker() {
    PoolWorker me = new PoolWorker(POOL, Thread.currentThread());
    worker = me;
    me.await();
  }

  @Signal
  public void handOver() {
    PoolWorker to = worker;
    while (to == null) {
      Thread.onSpinWait();
      to = worker;
    }
    to.slot = PoolWorker.END;
    to.wake();
  }
}

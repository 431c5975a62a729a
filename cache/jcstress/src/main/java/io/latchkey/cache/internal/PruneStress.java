package io.latchkey.cache.internal;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZII_Result;

/** A caller that prunes the stack while the load ends unlinks nobody who still waits. */
@JCStressTest
@Outcome(id = "true, 1, 2", expect = Expect.ACCEPTABLE, desc = "joined, and all were woken")
@Outcome(id = "false, 0, 2", expect = Expect.ACCEPTABLE, desc = "too late to join; all were woken")
@Outcome(expect = Expect.FORBIDDEN, desc = "somebody was forgotten")
@State
public class PruneStress {
  /** So many pushes go unpruned; the next one looks at the whole stack. */
  private static final int PUSHES = 31;

  private final Flight flight = new Flight();
  private final Waiter lowest = new Waiter.OfBulk(new Waiter.BulkWait(false));
  private final Waiter upper = new Waiter.OfBulk(new Waiter.BulkWait(false));
  private final Waiter late = new Waiter.OfBulk(new Waiter.BulkWait(false));

  /** Two that wait, and between them many that have left. */
  public PruneStress() {
    Waiter[] gone = new Waiter[PUSHES];
    flight.entry.push(lowest);
    for (int i = 0; i < PUSHES; i++) {
      gone[i] = Waiter.OfThread.create(false);
      flight.entry.push(gone[i]);
    }
    flight.entry.push(upper);
    for (Waiter waiter : gone) {
      waiter.leave();
    }
  }

  @Actor
  public void leader() {
    flight.settle();
  }

  @Actor
  public void caller(ZII_Result result) {
    result.r1 = flight.entry.push(late);
  }

  @Arbiter
  public void after(ZII_Result result) {
    result.r2 = late.state();
    result.r3 = lowest.state() + upper.state();
  }
}

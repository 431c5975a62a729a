package io.latchkey.cache.internal;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZII_Result;

/** A waiter that leaves while it is being woken takes the wake of nobody else with it. */
@JCStressTest
@Outcome(id = "true, 3, 1", expect = Expect.ACCEPTABLE, desc = "it left, the other one was woken")
@Outcome(id = "false, 1, 1", expect = Expect.ACCEPTABLE, desc = "both were woken")
@Outcome(expect = Expect.FORBIDDEN, desc = "left and woken, or the other one was forgotten")
@State
public class LeaveStress {
  private final Flight flight = new Flight();
  private final Waiter staying = Waiter.OfThread.create(false);
  private final Waiter leaving = Waiter.OfThread.create(false);

  public LeaveStress() {
    flight.entry.push(staying);
    flight.entry.push(leaving);
  }

  @Actor
  public void leader() {
    flight.settle();
  }

  @Actor
  public void leave(ZII_Result result) {
    result.r1 = leaving.leave();
  }

  @Arbiter
  public void after(ZII_Result result) {
    result.r2 = leaving.state();
    result.r3 = staying.state();
  }
}

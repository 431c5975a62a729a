package io.latchkey.cache.internal;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** A caller that joins while the load ends is woken with the object, or finds it in the entry. */
@JCStressTest
@Outcome(id = "true, 42", expect = Expect.ACCEPTABLE, desc = "joined, and was woken")
@Outcome(id = "false, 42", expect = Expect.ACCEPTABLE, desc = "too late to join, and had a hit")
@Outcome(expect = Expect.FORBIDDEN, desc = "not woken, or woken without the object")
@State
public class JoinStress {
  private final Flight flight = new Flight();
  private final Waiter waiter = Waiter.OfThread.create(false);

  @Actor
  public void leader() {
    flight.settle();
  }

  @Actor
  public void caller(ZI_Result result) {
    result.r1 = flight.entry.push(waiter);
  }

  @Arbiter
  public void after(ZI_Result result) {
    if (!result.r1) {
      result.r2 = Flight.number(flight.entry.outcomePlain());
    } else if (waiter.state() == Waiter.WOKEN && waiter.anchor != null) {
      result.r2 = Flight.number(waiter.anchor.outcome);
    }
  }
}

package io.latchkey.cache.internal;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A caller that comes while the last one leaves has joined, or knows that it has to start over. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the flight was closed first")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the caller joined first")
@Outcome(expect = Expect.FORBIDDEN, desc = "joined a closed flight, or neither")
@State
public class LastLeaverStress {
  private final Flight flight = new Flight();
  private final Waiter waiter = Waiter.OfThread.create(true);

  @Actor
  public void leave(ZZ_Result result) {
    Node top = flight.entry.stack();
    result.r1 = top instanceof Token && flight.entry.close(top);
  }

  @Actor
  public void come(ZZ_Result result) {
    result.r2 = flight.entry.push(waiter);
  }
}

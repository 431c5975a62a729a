package io.latchkey.cache.internal;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Of two that come across an abandoned flight, one gets its waiters. */
@JCStressTest
@Outcome(
    id = {"true, false", "false, true"},
    expect = Expect.ACCEPTABLE,
    desc = "one of them")
@Outcome(expect = Expect.FORBIDDEN, desc = "both, or nobody")
@State
public class RescueStress {
  private final Flight flight = new Flight();
  private final Node none = Leader.current();
  private final Waiter waiter = Waiter.OfThread.create(false);

  /** A flight with one waiter, whose leader ran out of stack. */
  public RescueStress() {
    flight.entry.push(waiter);
    flight.entry.state = Entry.ABANDONED;
  }

  @Actor
  public void first(ZZ_Result result) {
    result.r1 = flight.entry.rescue(none) == waiter;
  }

  @Actor
  public void second(ZZ_Result result) {
    result.r2 = flight.entry.rescue(none) == waiter;
  }
}

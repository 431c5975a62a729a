package io.latchkey.cache.internal;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Of two that end an entry, an eviction and an invalidation perhaps, one gets the object. */
@JCStressTest
@Outcome(
    id = {"42, -1", "-1, 42"},
    expect = Expect.ACCEPTABLE,
    desc = "one of them")
@Outcome(expect = Expect.FORBIDDEN, desc = "both, neither, or half an object")
@State
public class RetireOnceStress {
  private final Flight flight = new Flight();

  public RetireOnceStress() {
    flight.settle();
  }

  @Actor
  public void evict(II_Result result) {
    result.r1 = Flight.number(flight.entry.retire());
  }

  @Actor
  public void invalidate(II_Result result) {
    result.r2 = Flight.number(flight.entry.retire());
  }
}

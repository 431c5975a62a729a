package io.latchkey.cache.internal;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A hit beside the end of an entry sees the whole object, or none. */
@JCStressTest
@Outcome(id = "42, 42", expect = Expect.ACCEPTABLE, desc = "the hit was first")
@Outcome(id = "42, 1", expect = Expect.ACCEPTABLE, desc = "the entry was dead")
@Outcome(id = "42, -1", expect = Expect.ACCEPTABLE, desc = "it died in between: the slow path")
@Outcome(expect = Expect.FORBIDDEN, desc = "half an object, or none for the one who retires")
@State
public class RetireStress {
  private final Flight flight = new Flight();

  public RetireStress() {
    flight.settle();
  }

  @Actor
  public void evict(II_Result result) {
    result.r1 = Flight.number(flight.entry.retire());
  }

  @Actor
  public void hit(II_Result result) {
    boolean ready = flight.entry.stateAcquire() == Entry.READY;
    result.r2 = ready ? Flight.number(flight.entry.outcomePlain()) : 1;
  }
}

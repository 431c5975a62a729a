package io.latchkey.cache.internal;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** READY implies the object, although its field is written and read plainly. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "42", expect = Expect.ACCEPTABLE, desc = "published, the object is whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "READY, but no object or half of one")
@State
public class PublishStress {
  private final Flight flight = new Flight();

  @Actor
  public void leader() {
    flight.settle();
  }

  @Actor
  public void reader(I_Result result) {
    boolean ready = flight.entry.stateAcquire() == Entry.READY;
    result.r1 = ready ? Flight.number(flight.entry.outcomePlain()) : 1;
  }
}

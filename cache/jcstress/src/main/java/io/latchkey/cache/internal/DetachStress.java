package io.latchkey.cache.internal;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** An invalidation beside the end of a load: what it detaches is never kept. */
@JCStressTest
@Outcome(id = "true, 3", expect = Expect.ACCEPTABLE, desc = "detached, the entry is dead")
@Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "kept, then for the caller to retire")
@Outcome(expect = Expect.FORBIDDEN, desc = "detached and kept, or neither")
@State
public class DetachStress {
  private final Flight flight = new Flight();

  @Actor
  public void leader() {
    flight.settle();
  }

  @Actor
  public void invalidate(ZI_Result result) {
    result.r1 = flight.entry.detach();
  }

  @Arbiter
  public void after(ZI_Result result) {
    result.r2 = flight.entry.stateAcquire();
  }
}

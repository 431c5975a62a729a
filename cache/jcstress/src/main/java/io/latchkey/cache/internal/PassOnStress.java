package io.latchkey.cache.internal;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Woken threads that pass the wake on at once reach everybody between them. */
@JCStressTest
@Outcome(id = "6, 6", expect = Expect.ACCEPTABLE, desc = "all six were woken, with the object")
@Outcome(expect = Expect.FORBIDDEN, desc = "one was forgotten, or knows of no outcome")
@State
public class PassOnStress {
  private final Flight flight = new Flight();
  private final Wake wake = new Wake(Runnable::run);
  private final List<Waiter> waiters = new ArrayList<>();

  /** Six waiters, the uppermost two of which the leader has woken. */
  public PassOnStress() {
    for (int i = 0; i < 6; i++) {
      Waiter waiter = Waiter.OfThread.create(false);
      flight.entry.push(waiter);
      waiters.add(waiter);
    }
    flight.settle();
  }

  @Actor
  public void first() {
    wake.passOn(waiters.get(5));
  }

  @Actor
  public void second() {
    wake.passOn(waiters.get(4));
  }

  @Arbiter
  public void after(II_Result result) {
    for (Waiter waiter : waiters) {
      result.r1 += waiter.state() == Waiter.WOKEN ? 1 : 0;
      result.r2 += Flight.number(Joins.outcome(waiter)) == Flight.NUMBER ? 1 : 0;
    }
  }
}

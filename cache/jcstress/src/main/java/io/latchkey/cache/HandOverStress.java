package io.latchkey.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A worker that finds a task in its slot sees all that the submitter did before. */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "not handed over yet")
@Outcome(id = "42", expect = Expect.ACCEPTABLE, desc = "handed over, and all of it seen")
@Outcome(expect = Expect.FORBIDDEN, desc = "handed over, but not all of it seen")
@State
public class HandOverStress {
  private static final LoaderPool POOL = LoaderPool.builder().build();

  private final PoolWorker worker = new PoolWorker(POOL, Thread.currentThread());

  /** A task whose field is not final, so that only the hand-over makes it visible. */
  private static final class Task implements Runnable {
    int number;

    @Override
    public void run() {}
  }

  @Actor
  public void submitter() {
    Task task = new Task();
    task.number = 42;
    worker.slot = task;
    worker.wake();
  }

  @Actor
  public void worker(I_Result result) {
    result.r1 = worker.slot instanceof Task task ? task.number : -1;
  }
}

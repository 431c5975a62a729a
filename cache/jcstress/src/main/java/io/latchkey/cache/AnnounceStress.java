package io.latchkey.cache;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Of a worker that is about to park and who hands it a task, at least one sees the other. */
@JCStressTest
@Outcome(
    id = {"true, false", "false, true", "true, true"},
    expect = Expect.ACCEPTABLE,
    desc = "the worker found the task, or was unparked, or both")
@Outcome(expect = Expect.FORBIDDEN, desc = "the worker parks, and nobody unparks it")
@State
public class AnnounceStress {
  private static final LoaderPool POOL = LoaderPool.builder().build();

  private final PoolWorker worker = new PoolWorker(POOL, Thread.currentThread());

  @Actor
  public void worker(ZZ_Result result) {
    result.r1 = worker.announce() != null;
  }

  @Actor
  public void submitter(ZZ_Result result) {
    worker.slot = PoolWorker.END;
    result.r2 = worker.wake();
  }
}

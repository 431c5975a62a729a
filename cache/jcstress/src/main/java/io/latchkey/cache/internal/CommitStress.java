package io.latchkey.cache.internal;

import io.latchkey.cache.SnapshotCache;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

/** M3: whoever sees the head of a commit sees what it changed. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "before the commit")
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "after the commit")
@Outcome(expect = Expect.FORBIDDEN, desc = "an object that is not of its revision")
@State
public class CommitStress {
  private final OneKeyRevisions storage = new OneKeyRevisions();
  private final SnapshotCache<String, Integer> cache = storage.cache();

  /** The object of the first revision is cached, and current. */
  public CommitStress() {
    cache.get(OneKeyRevisions.KEY, 1);
  }

  @Actor
  public void commit() {
    storage.tell();
  }

  @Actor
  public void read(JI_Result result) {
    result.r1 = cache.head();
    Integer found = cache.get(OneKeyRevisions.KEY, result.r1);
    result.r2 = found == null ? 0 : found;
  }
}

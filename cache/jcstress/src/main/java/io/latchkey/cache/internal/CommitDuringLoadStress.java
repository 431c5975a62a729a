package io.latchkey.cache.internal;

import io.latchkey.cache.SnapshotCache;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** M3: a load that ends while a commit is taken in does not become current by mistake. */
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "each revision has its object")
@Outcome(expect = Expect.FORBIDDEN, desc = "the load was kept as current")
@State
public class CommitDuringLoadStress {
  private final OneKeyRevisions storage = new OneKeyRevisions();
  private final SnapshotCache<String, Integer> cache = storage.cache();

  @Actor
  public void load() {
    cache.get(OneKeyRevisions.KEY, 1);
  }

  @Actor
  public void commit() {
    storage.tell();
  }

  @Arbiter
  public void after(II_Result result) {
    result.r1 = object(1);
    result.r2 = object(2);
  }

  private int object(long at) {
    Integer found = cache.get(OneKeyRevisions.KEY, at);
    return found == null ? 0 : found;
  }
}

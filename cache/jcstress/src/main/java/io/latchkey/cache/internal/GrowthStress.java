package io.latchkey.cache.internal;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** A look-up beside the growth of the table finds the whole entry, if it must be sure. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "found both ways")
@Outcome(
    id = "true, false, true",
    expect = Expect.ACCEPTABLE_INTERESTING,
    desc = "the quick look-up was led astray")
@Outcome(expect = Expect.FORBIDDEN, desc = "missed, or found before it was whole")
@State
public class GrowthStress {
  private static final int STRIPES = 8;
  private final Table table = new Table(0);

  /** A table of 64 slots that the next entry makes grow, with a chain of seven in slot 0. */
  public GrowthStress() {
    for (int i = 0; i < 6; i++) {
      insert(64 * i);
    }
    for (int i = 1; i < 38; i++) {
      if (i % STRIPES != 0) {
        insert(i);
      }
    }
    for (int i = 0; i < 9; i++) {
      insert(STRIPES + 64 + 72 * i);
    }
  }

  private void insert(int key) {
    table.findOrInsert(new Entry(key, key, "object", Entry.READY));
  }

  private static boolean whole(@Nullable Entry entry) {
    return entry != null && "object".equals(entry.outcomePlain());
  }

  @Actor
  public void grow() {
    insert(STRIPES * 1001);
  }

  @Actor
  public void find(ZZZ_Result result) {
    result.r1 = whole(table.findSurely(64, 64));
    result.r2 = whole(table.find(128, 128));
  }

  @Arbiter
  public void after(ZZZ_Result result) {
    result.r3 = table.slots().length == 128 && whole(table.find(128, 128));
  }
}

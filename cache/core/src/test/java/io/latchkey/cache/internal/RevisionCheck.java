package io.latchkey.cache.internal;

import io.latchkey.cache.SnapshotCache;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Walks every structure of a cache over revisions and names what does not fit together. Nothing may
 * be under way meanwhile: no call, no load, no task on the executor.
 */
public final class RevisionCheck {
  private final SnapshotParts<?, ?> parts;
  private final List<String> faults = new ArrayList<>();
  private final Set<Entry> alive = Collections.newSetFromMap(new IdentityHashMap<>());

  private RevisionCheck(SnapshotParts<?, ?> parts) {
    this.parts = parts;
  }

  /** Fails if anything in the cache does not fit together. */
  public static void check(SnapshotCache<?, ?> cache) {
    List<String> faults = faults(cache);
    if (!faults.isEmpty()) {
      throw new AssertionError(cache + " is inconsistent:\n  " + String.join("\n  ", faults));
    }
  }

  /** What does not fit together; a good cache has no faults. Works off what is due on the way. */
  public static List<String> faults(SnapshotCache<?, ?> cache) {
    RevisionCheck check = new RevisionCheck(((LatchSnapshotCache<?, ?>) cache).parts);
    check.look();
    return check.faults;
  }

  private void expect(boolean holds, String fault) {
    if (!holds) {
      faults.add(fault);
    }
  }

  private void look() {
    parts.admission.cleanUp(0);
    faults.addAll(TableCheck.faults(parts.table, this::lookAtHistory));
    parts.admission.inspect(
        (policy, index) -> {
          Set<Entry> held = Collections.newSetFromMap(new IdentityHashMap<>());
          policy.forEach(
              entry -> {
                expect(held.add(entry), "the policy holds " + text(entry) + " twice");
                expect(alive.contains(entry), "the policy holds " + text(entry) + ", which left");
              });
          for (Entry entry : alive) {
            expect(held.contains(entry), "the policy does not know " + text(entry));
          }
          expect(policy.size() == held.size(), "the policy counts wrong");
          expect(policy.weight() <= parts.admission.maximum(), "the bound does not hold");
        });
    for (Entry entry : parts.flights.detached) {
      expect(false, text(entry) + " left the table and still loads");
    }
    expect(Leader.idle(), "this thread still counts as running loads");
  }

  private void lookAtHistory(Entry node) {
    List<RevisionEntry> all = new ArrayList<>();
    node.forEach(entry -> all.add((RevisionEntry) entry));
    expect(!all.isEmpty(), "the history of " + node.key + " is empty");
    all.sort(Comparator.comparingLong(entry -> entry.serial));
    long reached = -1;
    for (RevisionEntry entry : all) {
      expect(entry.stateAcquire() == Entry.READY, text(entry) + " is not ready");
      expect(entry.history == node, text(entry) + " stands in the history of another key");
      expect(entry.asked().key().equals(node.key), text(entry) + " is of another key");
      expect(entry.next == null, text(entry) + " has a link");
      expect(entry.absent == (entry.outcomePlain() == Entry.ABSENT), text(entry) + " is wrong");
      long reach = entry.reach(parts.heads);
      expect(entry.serial <= reach, text(entry) + " is the answer for nothing");
      expect(entry.serial > reached, text(entry) + " overlaps the one before, to " + reached);
      RevisionEntry found = ((History) node).covering(entry.serial, parts.heads);
      boolean told = entry.serial <= parts.heads.head() || entry.head() >= 0;
      expect(!told || found == entry, text(entry) + " is not found, but " + found);
      reached = reach;
      alive.add(entry);
    }
  }

  private static String text(Entry entry) {
    RevisionEntry revision = (RevisionEntry) entry;
    return entry.key
        + " (serial "
        + revision.serial
        + ", head "
        + revision.head()
        + ", epoch "
        + revision.epoch
        + ", state "
        + entry.state
        + ")";
  }
}

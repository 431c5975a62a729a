package io.latchkey.bench.snapshot;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A storage of revisions that costs next to nothing: every object is its key, and all that it
 * remembers is the last commit of each key. Its writer is the one thread that measures.
 */
final class NumberedStore implements RevisionStorage<Long, Object> {
  private final long[] changed;
  private final Long[] objects;
  private volatile long head = 1;
  private @Nullable CommitListener<Long> listener;
  private long loads;

  NumberedStore(int size) {
    changed = new long[size];
    objects = new Long[size];
    for (int i = 0; i < size; i++) {
      changed[i] = 1;
      objects[i] = (long) i;
    }
  }

  Long[] keys() {
    return objects;
  }

  /** Loads so far, of the one thread that reads. */
  long loads() {
    return loads;
  }

  Object object(Long key) {
    loads++;
    return objects[key.intValue()];
  }

  /** Makes a commit without changing anything but its number, and returns that. */
  long next(Collection<Long> keys) {
    long revision = head + 1;
    for (Long key : keys) {
      changed[key.intValue()] = revision;
    }
    head = revision;
    return revision;
  }

  /** Tells the commit that was just made. */
  void tell(long revision, Collection<Long> keys) {
    CommitListener<Long> to = listener;
    if (to != null) {
      to.committed(1, revision, keys);
    }
  }

  @Override
  public Revision<Object> loadAt(Long key, long at) {
    long last = changed[key.intValue()];
    return at >= last
        ? new Revision<>(object(key), last, Revision.NO_NEXT)
        : new Revision<>(object(key), 1, last);
  }

  @Override
  public long head() {
    return head;
  }

  @Override
  public Subscription commits(long from, CommitListener<Long> to) {
    listener = to;
    to.whole(1, from);
    return () -> listener = null;
  }

  @Override
  public long commit(Map<Long, Optional<Object>> changes, long base) {
    long revision = next(changes.keySet());
    tell(revision, changes.keySet());
    return revision;
  }
}

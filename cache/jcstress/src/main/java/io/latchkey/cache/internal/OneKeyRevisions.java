package io.latchkey.cache.internal;

import io.latchkey.cache.SnapshotCache;
import io.latchkey.storage.CommitListener;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A storage with one key: 1 at revision 1, and 2 at revision 2, which is there from the start and
 * told only on request.
 */
final class OneKeyRevisions implements RevisionStorage<String, Integer> {
  static final String KEY = "key";

  private @Nullable CommitListener<String> listener;

  SnapshotCache<String, Integer> cache() {
    return SnapshotCache.over(this).maximumSize(16).executor(Runnable::run).build();
  }

  void tell() {
    CommitListener<String> to = listener;
    if (to != null) {
      to.committed(1, 2, List.of(KEY));
    }
  }

  @Override
  public Revision<Integer> loadAt(String key, long at) {
    return at < 2
        ? new Revision<>(1, 1, Revision.NEXT_UNKNOWN)
        : new Revision<>(2, 2, Revision.NEXT_UNKNOWN);
  }

  @Override
  public long head() {
    return 1;
  }

  @Override
  public Subscription commits(long from, CommitListener<String> to) {
    listener = to;
    to.whole(1, from);
    return () -> {};
  }

  @Override
  public long commit(Map<String, Optional<Integer>> changes, long base) {
    throw new IllegalStateException("nobody commits here");
  }
}

package io.latchkey.storage.jdbc;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a storage and its cache and notes what the cache has been told: markers, losses,
 * and that the feed is whole again. A note is made after the cache has handled the event.
 */
final class CoherenceFeed {
  private final String name;
  private final Consumer<String> report;

  /** Markers whose event, or a later one, the cache has handled. */
  final BlockingQueue<Long> told = new LinkedBlockingQueue<>();

  CoherenceFeed(String name, Consumer<String> report) {
    this.name = name;
    this.report = report;
  }

  private void changed(Collection<? extends Long> keys) {
    for (Long key : keys) {
      if (key < 0) {
        told.add(-key);
      }
    }
  }

  /**
   * A storage whose feed is noted.
   *
   * @param marker the newest marker that is visible; 0 if that cannot be said now
   */
  WatchableStorage<Long, String> over(WatchableStorage<Long, String> inner, LongSupplier marker) {
    return new Watched(inner, marker);
  }

  RevisionStorage<Long, String> over(RevisionStorage<Long, String> inner) {
    return new Committed(inner);
  }

  private final class Watched implements WatchableStorage<Long, String> {
    private final WatchableStorage<Long, String> inner;
    private final LongSupplier marker;

    Watched(WatchableStorage<Long, String> inner, LongSupplier marker) {
      this.inner = inner;
      this.marker = marker;
    }

    @Override
    public @Nullable String load(Long key) throws Exception {
      return inner.load(key);
    }

    @Override
    public Map<Long, String> loadAll(Set<? extends Long> keys) throws Exception {
      return inner.loadAll(keys);
    }

    @Override
    public Subscription watch(FeedListener<Long> listener) throws Exception {
      return inner.watch(
          new FeedListener<>() {
            @Override
            public void changed(long epoch, long sequence, Collection<? extends Long> keys) {
              listener.changed(epoch, sequence, keys);
              CoherenceFeed.this.changed(keys);
            }

            @Override
            public void changedAll(long epoch, long sequence) {
              listener.changedAll(epoch, sequence);
            }

            @Override
            public void lost(String reason) {
              listener.lost(reason);
              report.accept("lost " + name);
            }

            @Override
            public void whole(long epoch, long sequence) {
              // What is visible before the cache is told is vouched for afterwards.
              long visible = marker.getAsLong();
              listener.whole(epoch, sequence);
              told.add(visible);
              report.accept("whole " + name);
            }
          });
    }
  }

  private final class Committed implements RevisionStorage<Long, String> {
    private final RevisionStorage<Long, String> inner;

    Committed(RevisionStorage<Long, String> inner) {
      this.inner = inner;
    }

    @Override
    public Revision<String> loadAt(Long key, long at) throws Exception {
      return inner.loadAt(key, at);
    }

    @Override
    public Map<Long, Revision<String>> loadAllAt(Set<? extends Long> keys, long at)
        throws Exception {
      return inner.loadAllAt(keys, at);
    }

    @Override
    public long head() throws Exception {
      return inner.head();
    }

    @Override
    public long commit(Map<Long, Optional<String>> changes, long base) throws Exception {
      return inner.commit(changes, base);
    }

    @Override
    public Subscription commits(long from, CommitListener<Long> listener) throws Exception {
      return inner.commits(
          from,
          new CommitListener<>() {
            @Override
            public void committed(long epoch, long revision, Collection<? extends Long> keys) {
              listener.committed(epoch, revision, keys);
              CoherenceFeed.this.changed(keys);
            }

            @Override
            public void lost(String reason) {
              listener.lost(reason);
              report.accept("lost " + name);
            }

            @Override
            public void whole(long epoch, long head) {
              listener.whole(epoch, head);
              report.accept("whole " + name);
            }
          });
    }
  }
}

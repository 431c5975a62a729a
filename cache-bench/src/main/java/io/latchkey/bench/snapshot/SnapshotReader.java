package io.latchkey.bench.snapshot;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.cache.Cache;
import io.latchkey.cache.SnapshotCache;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Something that reads at the newest revision and is told of commits. */
abstract class SnapshotReader implements AutoCloseable {
  final NumberedStore store;

  SnapshotReader(NumberedStore store) {
    this.store = store;
  }

  /** The contestants. */
  enum Kind {
    /** Our cache over revisions. */
    LATCHKEY {
      @Override
      SnapshotReader open(NumberedStore store, long bound) {
        return new Snapshots(store, bound);
      }
    },
    /** Our cache of current objects, which gives no snapshots: what a hit costs without them. */
    PLAIN {
      @Override
      SnapshotReader open(NumberedStore store, long bound) {
        return new Plain(store, bound);
      }
    },
    /** Caffeine with the key and the revision for a key. */
    CAFFEINE {
      @Override
      SnapshotReader open(NumberedStore store, long bound) {
        return new ByKeyAndRevision(store, bound);
      }
    };

    abstract SnapshotReader open(NumberedStore store, long bound);

    String id() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    static Kind of(String id) {
      return Arrays.stream(values())
          .filter(kind -> kind.id().equals(id))
          .findFirst()
          .orElseThrow(
              () ->
                  new BadInputException(
                      "unknown cache '"
                          + id
                          + "': use "
                          + Arrays.stream(values())
                              .map(Kind::id)
                              .collect(Collectors.joining(", "))));
    }
  }

  /** The object of a key at the newest revision. */
  abstract @Nullable Object get(Long key);

  /** Takes in a commit of these keys. */
  abstract void committed(long revision, Collection<Long> keys);

  @Override
  public abstract void close();

  private static final class Snapshots extends SnapshotReader {
    private final SnapshotCache<Long, Object> cache;
    private long at;

    Snapshots(NumberedStore store, long bound) {
      super(store);
      cache = SnapshotCache.over(store).maximumSize(bound).build();
      at = cache.head();
    }

    @Override
    @Nullable Object get(Long key) {
      return cache.get(key, at);
    }

    @Override
    void committed(long revision, Collection<Long> keys) {
      store.tell(revision, keys);
      at = cache.head();
    }

    @Override
    public void close() {
      cache.close();
    }
  }

  private static final class Plain extends SnapshotReader {
    private final Cache<Long, Object> cache;

    Plain(NumberedStore store, long bound) {
      super(store);
      cache = Cache.<Long, Object>over(store::object).maximumSize(bound).build();
    }

    @Override
    @Nullable Object get(Long key) {
      return cache.get(key);
    }

    @Override
    void committed(long revision, Collection<Long> keys) {
      cache.invalidateAll(keys);
    }

    @Override
    public void close() {
      cache.close();
    }
  }

  /**
   * What one does with a cache that knows nothing of revisions: an object is cached under its key
   * and the revision of the snapshot, and after a commit all that it did not change is moved to the
   * new revision, which takes a scan.
   */
  private static final class ByKeyAndRevision extends SnapshotReader {
    private record KeyAt(Long key, long at) {}

    private final com.github.benmanes.caffeine.cache.Cache<KeyAt, Object> cache;
    private long at;

    ByKeyAndRevision(NumberedStore store, long bound) {
      super(store);
      cache = Caffeine.newBuilder().maximumSize(bound).build();
      at = store.head();
    }

    @Override
    @Nullable Object get(Long key) {
      return cache.get(new KeyAt(key, at), wanted -> store.object(wanted.key));
    }

    @Override
    void committed(long revision, Collection<Long> keys) {
      Set<Long> changed = new HashSet<>(keys);
      List<KeyAt> before = new ArrayList<>(cache.asMap().keySet());
      for (KeyAt old : before) {
        Object object = cache.asMap().remove(old);
        if (object != null && !changed.contains(old.key)) {
          cache.put(new KeyAt(old.key, revision), object);
        }
      }
      at = revision;
    }

    @Override
    public void close() {
      cache.invalidateAll();
    }
  }
}

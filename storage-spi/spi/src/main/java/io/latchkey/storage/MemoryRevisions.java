package io.latchkey.storage;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link MemoryStorage} keeps: for each key a chain of versions, newest first. Keys and
 * objects are in their kept form; several storages may share it.
 *
 * <p>Commits take a lock. They set their versions into the chains first and the head last; readers
 * take no lock, read a head, and skip what is newer, so that they see all of a commit or nothing.
 * Pruning sets {@link #oldest} first and cuts the chains afterwards; a reader that may have met a
 * cut chain finds the revision it reads at older than that, after the walk.
 */
final class MemoryRevisions {
  /** How many commits back can be read unless told otherwise. */
  static final int HISTORY = 10_000;

  /** The base of a write that overwrites whatever is there. */
  static final long BLIND = -1;

  /** A state of one key; without a value where it was deleted. */
  private static final class Version {
    final long serial;
    final @Nullable Object value;

    /** Null where there is none before, or it was forgotten. */
    volatile @Nullable Version older;

    Version(long serial, @Nullable Object value, @Nullable Version older) {
      this.serial = serial;
      this.value = value;
      this.older = older;
    }
  }

  /** The versions of one key; a chain without any is as good as none. */
  private static final class Chain {
    /** Written under the lock. */
    volatile @Nullable Version newest;
  }

  /** What a commit changed, in the same order. */
  private record Commit(List<Object> keys, List<Version> versions) {}

  /** What became of a commit: the revision, or the keys that others had changed. */
  record Outcome(long revision, List<Object> conflicts) {}

  private final int history;
  private final Map<Object, Chain> chains = new ConcurrentHashMap<>();

  /** The last commits by their revisions, as many as there is history. */
  private final Map<Long, Commit> log = new ConcurrentHashMap<>();

  private final LocalFeed<Object> changes = new LocalFeed<>();
  private final CommitFeed<Object> commits;
  private final ReentrantLock writing = new ReentrantLock();

  /** Written under the lock, as are the next two. */
  private volatile long head;

  private volatile long oldest;
  private volatile long size;

  MemoryRevisions(int history) {
    this.history = history;
    this.commits =
        new CommitFeed<>(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 0, this::logged);
  }

  private @Nullable Collection<Object> logged(long revision) {
    Commit commit = log.get(revision);
    return commit == null ? null : commit.keys;
  }

  int history() {
    return history;
  }

  long head() {
    return head;
  }

  long oldest() {
    return oldest;
  }

  long size() {
    return size;
  }

  LocalFeed<Object> changes() {
    return changes;
  }

  CommitFeed<Object> commits() {
    return commits;
  }

  /** The object as of the head. */
  @Nullable Object current(Object key) {
    Revision<Object> found = null;
    while (found == null) {
      found = at(key, head); // null only if a commit forgot that head meanwhile
    }
    return found.value();
  }

  /** The object as of a revision that is not above the head; null if that was forgotten. */
  @Nullable Revision<Object> at(Object key, long at) {
    Chain chain = chains.get(key);
    Version version = chain == null ? null : chain.newest;
    long next = Revision.NO_NEXT;
    while (version != null && version.serial > at) {
      next = version.serial;
      version = version.older;
    }
    if (next > head) {
      next = Revision.NO_NEXT; // of a commit that is still under way
    }
    long begin = oldest;
    if (at < begin) {
      return null;
    }
    return version == null
        ? new Revision<>(null, begin, next)
        : new Revision<>(version.value, version.serial, next);
  }

  /**
   * Commits changes, where null deletes, unless one of the keys was changed after the base; tells
   * them before it returns.
   *
   * @return the outcome; null if the base was forgotten
   */
  @Nullable Outcome commit(Map<Object, @Nullable Object> changed, long base) {
    List<Object> keys = List.copyOf(changed.keySet());
    Outcome outcome;
    writing.lock();
    try {
      if (base != BLIND && base < oldest) {
        return null;
      }
      outcome = commitLocked(keys, changed, base);
    } finally {
      writing.unlock();
      commits.deliver();
    }
    if (outcome.conflicts.isEmpty()) {
      changes.changed(keys);
    }
    return outcome;
  }

  /** All that can fail, keys with odd methods and allocations, comes before the first change. */
  private Outcome commitLocked(
      List<Object> keys, Map<Object, @Nullable Object> changed, long base) {
    assert writing.isHeldByCurrentThread();
    if (keys.isEmpty()) {
      return new Outcome(head, List.of());
    }
    long revision = head + 1;
    long objects = size;
    List<Chain> targets = new ArrayList<>(keys.size());
    List<Version> versions = new ArrayList<>(keys.size());
    List<Object> conflicts = new ArrayList<>(0);
    for (Object key : keys) {
      Chain chain = chains.get(key);
      Version before = chain == null ? null : chain.newest;
      if (base != BLIND && before != null && before.serial > base) {
        conflicts.add(key);
      }
      Object value = changed.get(key);
      objects += (value == null ? 0 : 1) - (before == null || before.value == null ? 0 : 1);
      versions.add(new Version(revision, value, before));
    }
    if (!conflicts.isEmpty()) {
      return new Outcome(head, conflicts);
    }
    for (Object key : keys) {
      targets.add(chains.computeIfAbsent(key, absent -> new Chain()));
    }
    log.put(revision, new Commit(keys, versions));
    for (int i = 0; i < keys.size(); i++) {
      targets.get(i).newest = versions.get(i);
    }
    size = objects;
    head = revision;
    // Not before it can be read: another thread may be delivering.
    commits.committed(revision, keys);
    prune(revision - history);
    return new Outcome(revision, List.of());
  }

  /** Forgets the states before a revision: what its commit replaced. */
  private void prune(long revision) {
    if (revision <= 0) {
      return;
    }
    oldest = revision;
    Commit commit = log.remove(revision);
    if (commit == null) {
      return;
    }
    for (int i = 0; i < commit.keys.size(); i++) {
      Version version = commit.versions.get(i);
      version.older = null;
      if (version.value == null) {
        // A deletion that nothing came after is forgotten, too; otherwise what comes after tells
        // it.
        Object key = commit.keys.get(i);
        Chain chain = chains.get(key);
        if (chain != null && chain.newest == version) {
          chains.remove(key);
        }
      }
    }
  }

  /** Deletes all objects in one commit. */
  void clear() {
    writing.lock();
    try {
      List<Object> keys = new ArrayList<>();
      Map<Object, @Nullable Object> none = Collections.emptyMap();
      chains.forEach(
          (key, chain) -> {
            Version newest = chain.newest;
            if (newest != null && newest.value != null) {
              keys.add(key);
            }
          });
      commitLocked(List.copyOf(keys), none, BLIND);
    } finally {
      writing.unlock();
      commits.deliver();
    }
    changes.changedAll();
  }

  /** Ends the feeds. */
  void close() {
    changes.close();
    commits.close();
  }
}

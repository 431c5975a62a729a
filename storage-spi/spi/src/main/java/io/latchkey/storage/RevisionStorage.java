package io.latchkey.storage;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A storage that numbers its commits and can be read as of any of its recent revisions.
 *
 * <p><b>Revisions.</b> A revision is the state of the whole storage after a commit, and the number
 * of that commit. Revision 0 is the empty storage; every commit makes the one that follows the
 * {@link #head}, without holes. A revision never changes: two reads at one revision agree, whatever
 * is committed meanwhile. Each write is a commit, also one by {@link WritableStorage} if the
 * storage is one too.
 *
 * <p><b>History.</b> A storage may forget old revisions, never the head. What asks for a forgotten
 * one gets a {@link SnapshotTooOldException}. A revision above the head is not there yet: what asks
 * for one gets a {@link StorageException} that is {@linkplain StorageException#retryable
 * retryable}, because the revision may be made any time, or reach a replica. A negative one is an
 * {@link IllegalArgumentException}.
 *
 * <p><b>Threads, failures, cost</b> are as for every {@link Storage}: any number of threads, a
 * failure harms that call only, about one round trip for a call.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface RevisionStorage<K, V> extends Storage<K, V> {
  /**
   * Loads an object as of a revision.
   *
   * @param key the key
   * @param at the revision, not above the head
   * @return the object or its absence, with its range; never null
   * @throws NullPointerException if the key is null
   * @throws IllegalArgumentException if the revision is negative
   * @throws SnapshotTooOldException if the storage has forgotten that revision
   * @throws StorageException if the revision is above the head (retryable), or the storage failed
   * @throws InterruptedException if the calling thread was interrupted and the storage gave up
   * @throws Exception if the object could not be read
   */
  Revision<V> loadAt(K key, long at) throws Exception;

  /**
   * Loads several objects as of one revision. This default calls {@link #loadAt} once for each key,
   * in the order of the set; a storage that can fetch many in one round trip overrides it.
   *
   * @param keys the keys; an empty set gives an empty map
   * @param at the revision, not above the head
   * @return a revision for each of the keys, also for those that are absent, and for no others
   * @throws NullPointerException if the set or a key is null
   * @throws Exception as {@link #loadAt}, if any of them could not be read
   */
  default Map<K, Revision<V>> loadAllAt(Set<? extends K> keys, long at) throws Exception {
    Objects.requireNonNull(keys, "keys");
    Map<K, Revision<V>> found = new LinkedHashMap<>();
    for (K key : keys) {
      found.put(key, loadAt(key, at));
    }
    return found;
  }

  /**
   * The newest revision. It never decreases, and what a commit that has returned made is not above
   * it.
   *
   * @return the revision; 0 if nothing was ever committed
   * @throws StorageException if the storage failed
   * @throws Exception if the head could not be read
   */
  long head() throws Exception;

  /**
   * Subscribes a listener to the commits after a revision, until the subscription or the storage is
   * closed. If the storage still knows all of them, the listener is told {@link
   * CommitListener#whole} for {@code from}, and then each commit, the old ones first. If not, it is
   * told {@link CommitListener#lost}, and {@code whole} for a later revision. An in-process storage
   * tells this, and the old commits, before the method returns; one with a connection may do it
   * later, on another thread.
   *
   * <p>Several listeners, and one listener several times, may be subscribed; each subscription is
   * told everything.
   *
   * @param from the last revision that the listener knows, not above the head
   * @param listener is told the commits
   * @return the subscription, to be closed
   * @throws NullPointerException if the listener is null
   * @throws IllegalArgumentException if the revision is negative
   * @throws StorageException if the revision is above the head (retryable), or the storage cannot
   *     tell its commits now; nothing is then subscribed
   * @throws Exception if that failed otherwise, or the listener threw; nothing is then subscribed
   */
  Subscription commits(long from, CommitListener<K> listener) throws Exception;

  /**
   * Commits changes of several objects, all or none, unless one of them was changed since the
   * revision that the changes are based on.
   *
   * <p>It returns after the commit can be read; an in-process storage has then told its listeners,
   * too.
   *
   * @param changes the new objects by their keys; an empty optional deletes, also what is absent.
   *     An empty map makes no revision
   * @param base the revision at which the objects were read, not above the head
   * @return the revision made; the head if there was nothing to change
   * @throws NullPointerException if the map, a key or an optional is null
   * @throws IllegalArgumentException if the base is negative
   * @throws ConflictException if a commit after the base wrote or deleted one of the keys; nothing
   *     is changed
   * @throws SnapshotTooOldException if the storage has forgotten the base; nothing is changed
   * @throws StorageException if the base is above the head (retryable), or the storage failed; the
   *     outcome of a failure is unknown unless the storage says more
   * @throws InterruptedException if the calling thread was interrupted and the storage gave up; the
   *     outcome is unknown
   * @throws Exception if committing failed; the outcome is unknown unless the storage says more
   */
  long commit(Map<K, Optional<V>> changes, long base) throws Exception;

  /**
   * Refuses a revision that no storage can have: for storages, which call it before they look for
   * the revision.
   *
   * @param storage the storage's name, for the message
   * @param what what the caller calls the revision, such as {@code at}
   * @param revision the revision
   * @param head the storage's head
   * @throws IllegalArgumentException if the revision is negative
   * @throws StorageException if it is above the head; retryable
   */
  static void checkRevision(String storage, String what, long revision, long head)
      throws StorageException {
    if (revision < 0) {
      throw new IllegalArgumentException(what + " is " + revision + ": revisions begin at 0");
    }
    if (revision > head) {
      throw new StorageException(
          storage,
          "revision "
              + revision
              + " is in the future: the head of "
              + storage
              + " is "
              + head
              + "; wait for it, or read at the head",
          null,
          true);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>This default loads as of the head.
   */
  @Override
  default @Nullable V load(K key) throws Exception {
    long at = head();
    while (true) {
      try {
        return loadAt(key, at).value();
      } catch (SnapshotTooOldException e) {
        // A storage with a short history may forget the head that it told, but not for nothing.
        long newer = head();
        if (newer <= at) {
          throw e;
        }
        at = newer;
      }
    }
  }
}

package io.latchkey.storage;

import java.util.Collection;

/**
 * Receives the commits of a {@link RevisionStorage}.
 *
 * <p><b>Order and completeness.</b> The first call is {@code whole(epoch, r)}: all commits after
 * revision {@code r} will be told, beginning with {@code r + 1}; or it is {@link #lost} when the
 * storage has forgotten some of those asked for, and {@code whole} follows for a later revision.
 * Between {@code whole} and {@code lost} the revisions have no holes: each is one more than the one
 * before, or than that of {@code whole}, and each commit is one event with all of its keys. Loss is
 * an event of its own, never silence; after it nothing is vouched for until the next {@code whole},
 * which may go back to the last revision that was taken and have the commits after it told again.
 *
 * <p>Within an epoch a number stands for one commit only. A storage that was set back, so that it
 * gives a number a second time, takes another epoch. A listener that sees a hole, a number for the
 * second time or an epoch it does not know, without {@code whole}, was let down by the storage and
 * treats it as a loss.
 *
 * <p><b>Visibility.</b> A commit is told after it can be read. Between the two the {@linkplain
 * RevisionStorage#head head} may already be ahead of what was told.
 *
 * <p><b>Threads.</b> The events of one subscription come one after the other, possibly on different
 * threads, each seeing what the one before wrote. Implementations must be quick and must not wait
 * for another thread that commits or subscribes; a commit made from inside a listener is told when
 * the listener has returned.
 *
 * <p><b>Failures.</b> A listener that throws has not handled the event, and its position is not
 * advanced: it is told {@code lost}, and {@code whole} as soon as it takes both without throwing.
 * Other listeners, and the commit that caused the event, notice nothing of it.
 *
 * @param <K> the type of the keys
 */
public interface CommitListener<K> {
  /**
   * A commit was made.
   *
   * @param epoch the epoch of the feed
   * @param revision the revision that the commit made
   * @param keys what it stored or deleted, without null; not kept or changed by the storage
   *     afterwards. May be empty
   */
  void committed(long epoch, long revision, Collection<? extends K> keys);

  /**
   * Commits may be missing from here on, or from some time before, until {@link #whole}.
   *
   * @param reason what happened, for people, without credentials
   */
  void lost(String reason);

  /**
   * The feed is complete from here on: all commits after a revision will be told.
   *
   * @param epoch the epoch of the events that follow
   * @param head the last revision that is not told any more; the next commit told has one more
   */
  void whole(long epoch, long head);
}

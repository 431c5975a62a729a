package io.latchkey.storage;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link RevisionStorage} holds under a key as of some revision: an object, or the fact that
 * there is none, and the range of revisions for which that is so.
 *
 * <p>The answer is the same at every revision from {@link #serial} on, up to and without {@link
 * #nextSerial} if that is known. Immutable if the object is. Nothing is checked when one is made;
 * {@link #answers} tells whether it fits the question.
 *
 * @param value the object, or null if there is none
 * @param serial the revision of the commit that wrote the object or deleted it. For a key that was
 *     never written, or whose deletion is older than the history of the storage, 0 or the oldest
 *     revision that the storage can still read
 * @param nextSerial the revision of the next commit that wrote or deleted it; {@link #NO_NEXT} if
 *     there is none up to the head that the storage had at some time during the call; {@link
 *     #NEXT_UNKNOWN} if the storage cannot tell
 * @param <V> the type of the object
 */
public record Revision<V>(@Nullable V value, long serial, long nextSerial) {
  /** The {@link #nextSerial} of what is current; later than every revision. */
  public static final long NO_NEXT = Long.MAX_VALUE;

  /** The {@link #nextSerial} where a storage does not know it. */
  public static final long NEXT_UNKNOWN = -1;

  /**
   * Whether there is no object.
   *
   * @return true if {@link #value} is null
   */
  public boolean isAbsent() {
    return value == null;
  }

  /**
   * Whether this can be the answer to a question for a revision. A storage that answers otherwise
   * contradicts itself.
   *
   * @param at the revision asked for
   * @return true if {@code at} is not before {@link #serial}, and before {@link #nextSerial} if
   *     that is known
   */
  public boolean answers(long at) {
    return serial >= 0 && serial <= at && (nextSerial == NEXT_UNKNOWN || at < nextSerial);
  }
}

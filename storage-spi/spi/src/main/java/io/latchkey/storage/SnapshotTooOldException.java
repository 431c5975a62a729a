package io.latchkey.storage;

/** A {@link RevisionStorage} was asked for a revision that it has forgotten. Never retryable. */
public class SnapshotTooOldException extends StorageException {
  private static final long serialVersionUID = 1L;

  /** The revision asked for. */
  private final long at;

  /** The oldest one that can be read. */
  private final long oldest;

  /**
   * Makes an exception.
   *
   * @param storage the name or URL of the storage; credentials are removed
   * @param at the revision that was asked for
   * @param oldest the oldest revision that the storage can still read
   * @throws NullPointerException if the storage is null
   */
  public SnapshotTooOldException(String storage, long at, long oldest) {
    super(
        storage,
        "revision "
            + at
            + " is older than the history of "
            + storage
            + ", which begins at revision "
            + oldest
            + ": read at a newer one, or let the storage keep a longer history",
        null,
        false);
    this.at = at;
    this.oldest = oldest;
  }

  /**
   * The revision that was asked for.
   *
   * @return the revision
   */
  public long at() {
    return at;
  }

  /**
   * The oldest revision that the storage could still read; it may have forgotten more since.
   *
   * @return the revision
   */
  public long oldest() {
    return oldest;
  }
}

package io.latchkey.storage;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A commit changed nothing, because others had changed some of its objects after the revision that
 * it was based on. The same commit fails again; read the objects at a newer revision, decide anew,
 * and commit that.
 */
public class ConflictException extends StorageException {
  private static final long serialVersionUID = 1L;

  /** How many keys, and how many characters of each, the message names. */
  private static final int NAMED = 10;

  private static final int NAME_LENGTH = 100;

  /** Keys need not be serializable; a deserialized exception has none. */
  private final transient @Nullable List<Object> keys;

  /** The revision of the commit that failed. */
  private final long base;

  /**
   * Makes an exception. The message names some of the keys, credentials in them removed.
   *
   * @param storage the name or URL of the storage; credentials are removed
   * @param keys the keys that were changed after the base; copied
   * @param base the revision that the commit was based on
   * @throws NullPointerException if the storage, the keys or one of them is null
   */
  public ConflictException(String storage, Collection<?> keys, long base) {
    super(
        storage,
        "nothing was committed to "
            + storage
            + ", because others changed "
            + names(keys)
            + " after revision "
            + base
            + ": read them again at a newer revision and commit what follows from that",
        null,
        false);
    this.keys = List.copyOf(keys);
    this.base = base;
  }

  private static String names(Collection<?> keys) {
    StringBuilder names = new StringBuilder();
    int count = 0;
    for (Object key : keys) {
      if (++count > NAMED) {
        return names.append(" and ").append(keys.size() - NAMED).append(" more").toString();
      }
      // Before it is cut, because what is cut may no longer look like a credential.
      String name = StorageUrl.redact(String.valueOf(key));
      names.append(count == 1 ? "" : ", ");
      names.append(name.length() <= NAME_LENGTH ? name : name.substring(0, NAME_LENGTH) + "…");
    }
    return names.toString();
  }

  /**
   * The keys that others had changed.
   *
   * @return the keys, unmodifiable; empty in a deserialized exception
   */
  public List<Object> keys() {
    List<Object> known = keys;
    return known == null ? List.of() : known;
  }

  /**
   * The revision that the failed commit was based on.
   *
   * @return the revision
   */
  public long base() {
    return base;
  }
}

package io.latchkey.storage.rocksdb;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link RocksStorage} is opened. In a URL these are parameters of the same names: {@code
 * rocksdb:data/users?columnFamily=eu&cacheMegabytes=512}.
 *
 * @param columnFamily which of the sets of objects in the folder; each has revisions of its own.
 *     Letters, digits, {@code _}, {@code -} and {@code .}, 64 at most; {@code objects} unless told
 * @param history before how many of the last commits the storage can be read, not counting the
 *     head; the folder keeps what they replaced. 1000 unless told
 * @param sync whether a write waits until the disk has it, so that it survives a power failure and
 *     not only the end of the process; false unless told
 * @param cacheMegabytes how much memory the cache of blocks of the files may take, from 1 to 65536;
 *     64 unless told
 * @param writeBufferMegabytes how much is collected in memory, besides the log on disk, before it
 *     is sorted into a file, from 1 to 4096; 32 unless told. Two to four of these exist at times
 */
public record RocksOptions(
    String columnFamily, int history, boolean sync, int cacheMegabytes, int writeBufferMegabytes) {
  private static final Pattern FAMILY = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
  private static final String FAMILY_FORM = "give 1 to 64 letters, digits, '_', '-' or '.'";
  private static final int MAX_CACHE_MEGABYTES = 65_536;
  private static final int MAX_WRITE_BUFFER_MEGABYTES = 4_096;

  /** RocksDB's own column family, which holds nothing of ours. */
  private static final String RESERVED = "default";

  private static final RocksOptions DEFAULTS = new RocksOptions("objects", 1_000, false, 64, 32);

  /**
   * Takes the options.
   *
   * @param columnFamily which of the sets of objects in the folder
   * @param history before how many of the last commits the storage can be read
   * @param sync whether a write waits for the disk
   * @param cacheMegabytes how much memory the cache of blocks may take
   * @param writeBufferMegabytes how much is collected in memory
   * @throws NullPointerException if the column family is null
   * @throws IllegalArgumentException if the column family cannot be one, or a number is out of its
   *     range
   */
  public RocksOptions {
    String refusal =
        isFamily(columnFamily)
            ? refusal("history", history, 0, Integer.MAX_VALUE)
            : "columnFamily is '" + columnFamily + "': " + FAMILY_FORM;
    if (refusal == null) {
      refusal = refusal("cacheMegabytes", cacheMegabytes, 1, MAX_CACHE_MEGABYTES);
    }
    if (refusal == null) {
      refusal =
          refusal("writeBufferMegabytes", writeBufferMegabytes, 1, MAX_WRITE_BUFFER_MEGABYTES);
    }
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
  }

  private static boolean isFamily(String name) {
    return FAMILY.matcher(name).matches() && !name.equals(RESERVED);
  }

  private static @Nullable String refusal(String name, int value, int least, int most) {
    return value >= least && value <= most
        ? null
        : name + " is " + value + ": give " + least + " to " + most;
  }

  /**
   * The options that apply unless told otherwise.
   *
   * @return the options
   */
  public static RocksOptions defaults() {
    return DEFAULTS;
  }

  /**
   * These options with another {@link #columnFamily()}.
   *
   * @param value the name
   * @return new options
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it cannot be one
   */
  public RocksOptions withColumnFamily(String value) {
    return new RocksOptions(value, history, sync, cacheMegabytes, writeBufferMegabytes);
  }

  /**
   * These options with another {@link #history()}.
   *
   * @param value the number of commits
   * @return new options
   * @throws IllegalArgumentException if it is negative
   */
  public RocksOptions withHistory(int value) {
    return new RocksOptions(columnFamily, value, sync, cacheMegabytes, writeBufferMegabytes);
  }

  /**
   * These options with another value for {@link #sync()}.
   *
   * @param value the value
   * @return new options
   */
  public RocksOptions withSync(boolean value) {
    return new RocksOptions(columnFamily, history, value, cacheMegabytes, writeBufferMegabytes);
  }

  /**
   * These options with another value for {@link #cacheMegabytes()}.
   *
   * @param value the value
   * @return new options
   * @throws IllegalArgumentException if it is out of its range
   */
  public RocksOptions withCacheMegabytes(int value) {
    return new RocksOptions(columnFamily, history, sync, value, writeBufferMegabytes);
  }

  /**
   * These options with another value for {@link #writeBufferMegabytes()}.
   *
   * @param value the value
   * @return new options
   * @throws IllegalArgumentException if it is out of its range
   */
  public RocksOptions withWriteBufferMegabytes(int value) {
    return new RocksOptions(columnFamily, history, sync, cacheMegabytes, value);
  }

  /** Reads the parameters of a URL. */
  static RocksOptions of(StorageUrl url) throws StorageException {
    url.allowParameters(
        "columnFamily", "history", "sync", "cacheMegabytes", "writeBufferMegabytes");
    String family = url.parameters().getOrDefault("columnFamily", DEFAULTS.columnFamily);
    if (!isFamily(family)) {
      throw refused(url, "columnFamily", family, FAMILY_FORM);
    }
    return new RocksOptions(
        family,
        number(url, "history", DEFAULTS.history, 0, Integer.MAX_VALUE),
        url.flag("sync", DEFAULTS.sync),
        number(url, "cacheMegabytes", DEFAULTS.cacheMegabytes, 1, MAX_CACHE_MEGABYTES),
        number(
            url,
            "writeBufferMegabytes",
            DEFAULTS.writeBufferMegabytes,
            1,
            MAX_WRITE_BUFFER_MEGABYTES));
  }

  private static int number(StorageUrl url, String name, int otherwise, int least, int most)
      throws StorageException {
    String given = url.parameters().getOrDefault(name, Integer.toString(otherwise));
    try {
      int number = Integer.parseInt(given);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // It is refused below, like one out of the range.
    }
    throw refused(url, name, given, "give " + least + " to " + most);
  }

  private static StorageException refused(StorageUrl url, String name, String given, String mend) {
    return new StorageException(
        url.toString(),
        "cannot open " + url + ": " + name + " is '" + given + "': " + mend,
        null,
        false);
  }
}

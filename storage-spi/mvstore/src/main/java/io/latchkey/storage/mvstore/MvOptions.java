package io.latchkey.storage.mvstore;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import org.jspecify.annotations.Nullable;

/**
 * How an {@link MvStorage} is opened. In a URL these are parameters of the same names: {@code
 * mvstore:data/x.db?sync=true&cacheMegabytes=64}.
 *
 * @param sync whether a write waits until the disk has it, so that it survives a power failure and
 *     not only the end of the process; false unless told
 * @param cacheMegabytes how much memory the cache of the file's pages may take, from 0 to 65536; 16
 *     unless told
 * @param recover whether a damaged file is opened at its newest state that is still whole, instead
 *     of being refused; what was stored after that state is then gone. False unless told
 * @param history before how many of the last commits the storage can be read, not counting the
 *     head; the file keeps what they replaced. 1000 unless told
 */
public record MvOptions(boolean sync, int cacheMegabytes, boolean recover, int history) {
  private static final int MAX_CACHE_MEGABYTES = 65_536;
  private static final int DEFAULT_CACHE_MEGABYTES = 16;
  private static final int DEFAULT_HISTORY = 1_000;

  /**
   * Takes the options.
   *
   * @param sync whether a write waits for the disk
   * @param cacheMegabytes how much memory the cache of the file's pages may take
   * @param recover whether a damaged file is opened at its newest state that is still whole
   * @param history before how many of the last commits the storage can be read
   * @throws IllegalArgumentException if the size of the cache or the history is out of its range
   */
  public MvOptions {
    if (history < 0) {
      throw new IllegalArgumentException("history is " + history + ": give 0 commits or more");
    }
    if (cacheMegabytes < 0 || cacheMegabytes > MAX_CACHE_MEGABYTES) {
      throw new IllegalArgumentException(
          "cacheMegabytes is " + cacheMegabytes + ": give 0 to " + MAX_CACHE_MEGABYTES);
    }
  }

  /**
   * The options that apply unless told otherwise.
   *
   * @return the options
   */
  public static MvOptions defaults() {
    return new MvOptions(false, DEFAULT_CACHE_MEGABYTES, false, DEFAULT_HISTORY);
  }

  /**
   * These options with another value for {@link #sync()}.
   *
   * @param value the value
   * @return new options
   */
  public MvOptions withSync(boolean value) {
    return new MvOptions(value, cacheMegabytes, recover, history);
  }

  /**
   * These options with another value for {@link #cacheMegabytes()}.
   *
   * @param value the value
   * @return new options
   * @throws IllegalArgumentException if it is out of its range
   */
  public MvOptions withCacheMegabytes(int value) {
    return new MvOptions(sync, value, recover, history);
  }

  /**
   * These options with another value for {@link #recover()}.
   *
   * @param value the value
   * @return new options
   */
  public MvOptions withRecover(boolean value) {
    return new MvOptions(sync, cacheMegabytes, value, history);
  }

  /**
   * These options with another value for {@link #history()}.
   *
   * @param value the value
   * @return new options
   * @throws IllegalArgumentException if it is negative
   */
  public MvOptions withHistory(int value) {
    return new MvOptions(sync, cacheMegabytes, recover, value);
  }

  /** Reads the parameters of a URL. */
  static MvOptions of(StorageUrl url) throws StorageException {
    url.allowParameters("sync", "cacheMegabytes", "recover", "history");
    int cache = number(url, "cacheMegabytes", DEFAULT_CACHE_MEGABYTES, MAX_CACHE_MEGABYTES);
    int history = number(url, "history", DEFAULT_HISTORY, Integer.MAX_VALUE);
    return new MvOptions(url.flag("sync", false), cache, url.flag("recover", false), history);
  }

  private static int number(StorageUrl url, String name, int otherwise, int most)
      throws StorageException {
    String given = url.parameters().getOrDefault(name, Integer.toString(otherwise));
    @Nullable NumberFormatException cause = null;
    try {
      int number = Integer.parseInt(given);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      cause = e;
    }
    throw new StorageException(
        url.toString(),
        "cannot open " + url + ": " + name + " is '" + given + "': give 0 to " + most,
        cause,
        false);
  }
}

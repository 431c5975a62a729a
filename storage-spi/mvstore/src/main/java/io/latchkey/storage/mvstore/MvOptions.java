package io.latchkey.storage.mvstore;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;

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
 */
public record MvOptions(boolean sync, int cacheMegabytes, boolean recover) {
  private static final int MAX_CACHE_MEGABYTES = 65_536;

  /**
   * Takes the options.
   *
   * @param sync whether a write waits for the disk
   * @param cacheMegabytes how much memory the cache of the file's pages may take
   * @param recover whether a damaged file is opened at its newest state that is still whole
   * @throws IllegalArgumentException if the size of the cache is out of its range
   */
  public MvOptions {
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
    return new MvOptions(false, 16, false);
  }

  /**
   * These options with another value for {@link #sync()}.
   *
   * @param value the value
   * @return new options
   */
  public MvOptions withSync(boolean value) {
    return new MvOptions(value, cacheMegabytes, recover);
  }

  /**
   * These options with another value for {@link #cacheMegabytes()}.
   *
   * @param value the value
   * @return new options
   * @throws IllegalArgumentException if it is out of its range
   */
  public MvOptions withCacheMegabytes(int value) {
    return new MvOptions(sync, value, recover);
  }

  /**
   * These options with another value for {@link #recover()}.
   *
   * @param value the value
   * @return new options
   */
  public MvOptions withRecover(boolean value) {
    return new MvOptions(sync, cacheMegabytes, value);
  }

  /** Reads the parameters of a URL. */
  static MvOptions of(StorageUrl url) throws StorageException {
    url.allowParameters("sync", "cacheMegabytes", "recover");
    String cache = url.parameters().getOrDefault("cacheMegabytes", "16");
    try {
      return new MvOptions(
          url.flag("sync", false), Integer.parseInt(cache), url.flag("recover", false));
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          url.toString(),
          "cannot open "
              + url
              + ": cacheMegabytes is '"
              + cache
              + "': give 0 to "
              + MAX_CACHE_MEGABYTES,
          e,
          false);
    }
  }
}

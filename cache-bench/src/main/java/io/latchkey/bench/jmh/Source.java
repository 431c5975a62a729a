package io.latchkey.bench.jmh;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;

/**
 * Where loads come from, and what they bring.
 *
 * @param valueSize bytes of an object; 0 for the key itself, which allocates nothing
 * @param latencyMicros how long a load is made to take
 * @param url the storage to load from, or {@link #NONE}
 */
public record Source(int valueSize, int latencyMicros, String url) {
  /** No storage: loads are answered by the benchmark itself. */
  public static final String NONE = "none";

  private static final int MAX_SIZE = 1 << 24;
  private static final int MAX_LATENCY = 10_000_000;

  /** Checks the sizes. */
  public Source {
    if (valueSize < 0 || valueSize > MAX_SIZE) {
      throw new BadInputException(
          "--value-size must be from 0 to " + MAX_SIZE + ", not " + valueSize);
    }
    if (latencyMicros < 0 || latencyMicros > MAX_LATENCY) {
      throw new BadInputException(
          "--latency must be from 0 to " + MAX_LATENCY + ", not " + latencyMicros);
    }
  }

  /** Whether objects come from a storage that was opened by its URL. */
  boolean isOpened() {
    return !url.equals(NONE);
  }

  /**
   * Opens the storage and closes it again, to complain before anything is measured.
   *
   * @throws BadInputException if it cannot be opened
   */
  public void check() {
    if (isOpened()) {
      open(url).close();
    }
  }

  static Storage<Long, byte[]> open(String url) {
    try {
      return Storages.open(url, Codec.int64(), Codec.bytes());
    } catch (StorageException | IllegalArgumentException e) {
      throw new BadInputException("--storage: " + e.getMessage(), e);
    }
  }
}

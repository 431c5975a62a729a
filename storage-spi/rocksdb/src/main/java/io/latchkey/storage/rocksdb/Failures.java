package io.latchkey.storage.rocksdb;

import io.latchkey.storage.StorageException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Says what a status of RocksDB means for the storage, and what to do about it. */
final class Failures {
  private Failures() {}

  /** What failed while the folder was opened. */
  static StorageException opening(String name, RocksDBException e) {
    String detail = detail(e);
    if (code(e) == Status.Code.IOError && detail.toLowerCase(Locale.ROOT).contains("lock")) {
      return new StorageException(
          name,
          name
              + " is open already, in this process or in another one: close it there; one at a time"
              + " has a folder open",
          e,
          true);
    }
    // A file that is missing shows as one that cannot be read.
    if (isDamage(e) || detail.contains("No such file")) {
      return damaged(name, detail, e);
    }
    return failed(name, "open", e);
  }

  /** What failed in an open storage. */
  static StorageException failed(String name, String action, RocksDBException e) {
    String detail = detail(e);
    if (isDamage(e)) {
      return damaged(name, detail, e);
    }
    if (isFull(e, detail)) {
      return new StorageException(
          name,
          "cannot "
              + action
              + " "
              + name
              + ", because the disk is full: "
              + detail
              + ". What was acknowledged before is safe and can be read; make room, and writing goes"
              + " on some seconds later",
          e,
          true);
    }
    boolean refused = code(e) == Status.Code.NotSupported || code(e) == Status.Code.InvalidArgument;
    return new StorageException(
        name,
        "cannot "
            + action
            + " "
            + name
            + ": "
            + detail
            + (code(e) == Status.Code.IOError
                ? ". Mend the disk or the permissions; if it does not work again by itself then,"
                    + " close the storage and open it again"
                : ""),
        e,
        !refused);
  }

  static StorageException damaged(String name, String detail, @Nullable Throwable cause) {
    return new StorageException(
        name,
        name
            + " is damaged: "
            + detail
            + ". Restore the folder from a backup, or copy it and let RocksDB's 'ldb repair' get"
            + " back what can be read",
        cause,
        false);
  }

  private static boolean isFull(RocksDBException e, String detail) {
    Status status = e.getStatus();
    return (status != null && status.getSubCode() == Status.SubCode.NoSpace)
        || detail.contains("No space left");
  }

  private static boolean isDamage(RocksDBException e) {
    return code(e) == Status.Code.Corruption;
  }

  private static Status.Code code(RocksDBException e) {
    Status status = e.getStatus();
    return status == null ? Status.Code.Undefined : status.getCode();
  }

  /** What RocksDB says, at least the name of its status. */
  private static String detail(RocksDBException e) {
    String message = e.getMessage();
    Status status = e.getStatus();
    String state = status == null ? null : status.getState();
    if (state != null && !state.isBlank()) {
      return status.getCodeString() + ": " + state;
    }
    return message == null || message.isBlank() ? "RocksDB says " + code(e) : message;
  }
}

package io.latchkey.storage.mvstore;

import io.latchkey.storage.StorageException;
import java.io.EOFException;
import java.io.IOException;
import java.util.Set;
import java.util.function.Function;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;

/**
 * One opening of an MVStore over the file. A write that fails makes MVStore give up; another engine
 * is then opened on the same file, at the last commit. Reads may run on any thread; the commit
 * thread alone does the rest.
 */
final class Engine {
  /** The map with the objects; its name tells our files from those of other programs. */
  private static final String OBJECTS = "io.latchkey.objects";

  /** The version of what the map holds and how, kept as MVStore's store version. */
  private static final int FORMAT = 2;

  /** The share of live data in the chunks, in percent, below which they are rewritten. */
  private static final int MIN_FILL_PERCENT = 50;

  /** How many versions back space is not reused while closing; MVStore keeps five otherwise. */
  private static final int VERSIONS_KEPT_ON_CLOSE = 1;

  /** The share of live data in the chunks, and of chunks in the file, to aim at while closing. */
  private static final int SHRUNK_FILL_PERCENT = 70;

  /** How many bytes are rewritten at once while closing. */
  private static final int STEP = 16 << 20;

  private final MVStore store;
  private final ChunkFile file;
  private final MVMap<byte[], byte[]> objects;
  private final Revisions revisions;

  private Engine(MVStore store, ChunkFile file, MVMap<byte[], byte[]> objects) {
    this.store = store;
    this.file = file;
    this.objects = objects;
    this.revisions = new Revisions(store, objects);
  }

  /**
   * Opens the file, and sets it up if it is empty; it writes to no other file unless it recovers
   * it.
   *
   * @throws StorageException if the file is not what it should be
   */
  static Engine open(FileBytes bytes, String name, MvOptions options) throws StorageException {
    @Nullable MVStore store = null;
    boolean opened = false;
    try {
      if (ChunkFile.isUnfinished(bytes)) {
        bytes.truncate(0);
      }
      boolean dirty = bytes.size() == 0;
      ChunkFile file = new ChunkFile(bytes, name, options);
      store =
          new MVStore.Builder()
              .adoptFileStore(file)
              .autoCommitDisabled()
              .autoCommitBufferSize(0)
              .open();
      // Space may be reused as soon as it holds nothing of the last few versions: see ChunkFile.
      store.setRetentionTime(0);
      file.opened();
      if (file.isCutOff()) {
        if (!options.recover()) {
          throw damaged(name, "its end is missing or unreadable", null);
        }
        if (!file.hasState()) {
          throw beyondRecovery(name, "none of its states is whole", null);
        }
      }
      checkOwner(store, name);
      if (file.isCutOff()) {
        // The header names a state that is gone; what was found is made the state by a commit.
        dirty = true;
      }
      Engine engine = new Engine(store, file, objects(store));
      if (file.isCutOff()) {
        engine.revisions.renewEpoch();
        store.setStoreVersion(FORMAT);
      }
      if (dirty) {
        engine.commit();
      }
      opened = true;
      return engine;
    } catch (MVStoreException e) {
      StorageException failure = failure(name, "open", e);
      throw options.recover() && !failure.retryable()
          ? beyondRecovery(name, detail(e), e)
          : failure;
    } catch (IOException e) {
      throw new StorageException(name, "cannot read " + name + ": " + e.getMessage(), e, true);
    } catch (RuntimeException | AssertionError e) {
      // MVStore trips over damaged bytes in many ways.
      throw damaged(name, e.toString(), e);
    } finally {
      if (!opened && store != null) {
        store.closeImmediately();
      }
    }
  }

  private static StorageException beyondRecovery(
      String name, String detail, @Nullable Throwable cause) {
    return new StorageException(
        name,
        name
            + " cannot be recovered: "
            + detail
            + ". It was left as it is. Restore it from a backup",
        cause,
        false);
  }

  private static void checkOwner(MVStore store, String name) throws StorageException {
    Set<String> maps = store.getMapNames();
    if (!maps.isEmpty() && !maps.contains(OBJECTS)) {
      throw new StorageException(
          name,
          name
              + " is an MVStore file of another program, with the maps "
              + maps
              + ": name another file",
          null,
          false);
    }
    if (store.getStoreVersion() > FORMAT) {
      throw new StorageException(
          name,
          name
              + " has format "
              + store.getStoreVersion()
              + ", and this version of Latchkey reads "
              + FORMAT
              + " at most: use a newer one",
          null,
          false);
    }
  }

  private static MVMap<byte[], byte[]> objects(MVStore store) {
    if (!store.hasMap(OBJECTS)) {
      store.setStoreVersion(FORMAT);
    }
    return store.openMap(
        OBJECTS,
        new MVMap.Builder<byte[], byte[]>()
            .keyType(CheckedBytes.INSTANCE)
            .valueType(CheckedBytes.INSTANCE));
  }

  /** What failed and what to do about it. */
  static StorageException failure(String name, String action, MVStoreException e) {
    String detail = detail(e);
    if (e.getCause() instanceof EOFException) {
      return damaged(name, detail, e);
    }
    return switch (e.getErrorCode()) {
      case DataUtils.ERROR_WRITING_FAILED ->
          new StorageException(
              name,
              "cannot "
                  + action
                  + " "
                  + name
                  + ": "
                  + detail
                  + ". What was acknowledged before is"
                  + " safe and can be read; make room on the disk or mend it, then try again",
              e,
              true);
      case DataUtils.ERROR_READING_FAILED ->
          new StorageException(name, "cannot " + action + " " + name + ": " + detail, e, true);
      case DataUtils.ERROR_UNSUPPORTED_FORMAT ->
          new StorageException(
              name,
              "cannot " + action + " " + name + ": " + detail + "; it is of another version of H2",
              e,
              false);
      default -> damaged(name, detail, e);
    };
  }

  private static StorageException damaged(String name, String detail, @Nullable Throwable cause) {
    return new StorageException(
        name,
        name
            + " is damaged, or no file of this storage: "
            + detail
            + ". It was left as it is."
            + " Restore it from a backup, or copy it and open it with recover=true to get back its"
            + " newest state that is still whole",
        cause,
        false);
  }

  /** The first line of what MVStore says, without the version that it adds. */
  private static String detail(MVStoreException e) {
    String message = e.getMessage();
    String line = message == null ? "" : message.lines().findFirst().orElse("");
    return line.replaceFirst(" \\[[0-9./]+]$", "");
  }

  /** Whether MVStore gave up, so that what a read throws says nothing about the file. */
  boolean hasFailed() {
    return store.getPanicException() != null || store.isClosed();
  }

  byte @Nullable [] get(byte[] key) {
    return objects.get(key);
  }

  /** Reads while the chunks of the current version are not reused. */
  <T> T pinned(Function<Engine, T> reading) {
    MVStore.TxCounter pin = store.registerVersionUsage();
    try {
      return reading.apply(this);
    } finally {
      store.deregisterVersionUsage(pin);
    }
  }

  long size() {
    return objects.sizeAsLong();
  }

  Revisions revisions() {
    return revisions;
  }

  /** A file of the format before, without revisions, gets the present one with its first write. */
  void commit() {
    if (store.getStoreVersion() < FORMAT) {
      store.setStoreVersion(FORMAT);
    }
    store.commit();
  }

  /** All bytes written to the file so far. */
  long bytesWritten() {
    return file.bytesWritten();
  }

  /**
   * Rewrites a part of the chunks that hold little live data, if there is much garbage, so that
   * their space can be reused after some more commits.
   *
   * @return whether there was something to do
   */
  boolean compact(int maxBytes) {
    return store.compact(MIN_FILL_PERCENT, maxBytes);
  }

  /** Closes in order; takes about this many nanoseconds at most to shrink the file before. */
  void close(long shrinkNanos) {
    commit();
    file.prepareClose();
    store.setVersionsToKeep(VERSIONS_KEPT_ON_CLOSE);
    long start = System.nanoTime();
    long least = Long.MAX_VALUE;
    int vain = 0; // passes in a row that made the file no smaller
    while (vain < 3
        && System.nanoTime() - start < shrinkNanos
        && store.compact(SHRUNK_FILL_PERCENT, STEP)) {
      // What was rewritten is free only some versions later.
      for (int i = 0; i <= VERSIONS_KEPT_ON_CLOSE; i++) {
        store.commit();
      }
      file.compactMoveChunks(SHRUNK_FILL_PERCENT, STEP, store);
      long size = file.size();
      vain = size < least ? 0 : vain + 1;
      least = Math.min(least, size);
    }
    store.close();
  }

  /** Closes without writing anything. */
  void abandon() {
    store.closeImmediately();
  }
}

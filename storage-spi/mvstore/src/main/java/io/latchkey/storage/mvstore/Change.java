package io.latchkey.storage.mvstore;

import io.latchkey.storage.StorageException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What one call wants written, all or nothing, and the outcome that the caller waits for. */
final class Change {
  /** One object under its key; without a value it is to be deleted. */
  static final class Entry {
    final byte[] key;
    final byte @Nullable [] value;

    Entry(byte[] key, byte @Nullable [] value) {
      this.key = key;
      this.value = value;
    }
  }

  /** Null for all objects that there are, to be deleted. */
  private final @Nullable List<Entry> entries;

  private final long base;

  /** Completed with null, or with what failed. */
  private final CompletableFuture<@Nullable StorageException> outcome = new CompletableFuture<>();

  /**
   * What the last try did, and to which keys. Written by the commit thread before the outcome, and
   * read after that.
   */
  private Revisions.@Nullable Applied applied;

  private List<byte[]> keys = List.of();

  private Change(@Nullable List<Entry> entries, long base) {
    this.entries = entries;
    this.base = base;
  }

  /** Stores and deletes whatever is there. */
  static Change write(List<Entry> entries) {
    return new Change(entries, Revisions.BLIND);
  }

  /** Stores and deletes unless something was changed after the base. */
  static Change commit(List<Entry> entries, long base) {
    return new Change(entries, base);
  }

  static Change clear() {
    return new Change(null, Revisions.BLIND);
  }

  /** Changes nothing; it only comes to the commit thread. */
  static Change nothing() {
    return write(List.of());
  }

  /** Makes the change in the maps, without committing it. */
  void apply(Engine engine, long epoch, int history) {
    Revisions revisions = engine.revisions();
    List<Entry> wanted = entries;
    if (wanted == null) {
      wanted = revisions.allKeys().stream().map(key -> new Entry(key, null)).toList();
    }
    Revisions.Applied done = revisions.apply(wanted, base, epoch, history);
    applied = done;
    keys =
        !done.conflicts().isEmpty() || done.baseForgotten()
            ? List.of()
            : wanted.stream().map(entry -> entry.key).toList();
  }

  /** The revision that it made; 0 if it made none. */
  long revision() {
    Revisions.Applied done = applied;
    return done == null || keys.isEmpty() ? 0 : done.revision();
  }

  /** The keys that it changed; empty if it made no revision. */
  List<byte[]> keys() {
    return keys;
  }

  /** About how many bytes it writes. */
  long weight() {
    long sum = 0;
    if (entries != null) {
      for (Entry entry : entries) {
        sum += entry.key.length + (entry.value == null ? 0 : entry.value.length);
      }
    }
    return sum;
  }

  void succeed() {
    outcome.complete(null);
  }

  void fail(StorageException failure) {
    outcome.complete(failure);
  }

  /**
   * Waits for the outcome; an interrupt does not end the wait and stays set.
   *
   * @return what was done, or why it was refused
   */
  Revisions.Applied await() throws StorageException {
    StorageException failure = outcome.join();
    if (failure != null) {
      // A new exception, so that the trace shows the caller and not the commit thread.
      throw new StorageException(
          failure.storage(),
          String.valueOf(failure.getMessage()),
          failure.getCause(),
          failure.retryable());
    }
    Revisions.Applied done = applied;
    return done != null ? done : new Revisions.Applied(0, List.of(), false);
  }
}

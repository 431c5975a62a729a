package io.latchkey.storage.mvstore;

import io.latchkey.storage.StorageException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What one call wants written, all or nothing, and the outcome that the caller waits for. */
abstract class Change {
  /** One object under its key. */
  static final class Entry {
    final byte[] key;
    final byte[] value;

    Entry(byte[] key, byte[] value) {
      this.key = key;
      this.value = value;
    }
  }

  /** Completed with null, or with what failed. */
  private final CompletableFuture<@Nullable StorageException> outcome = new CompletableFuture<>();

  /** Makes the change in the map, without committing it. */
  abstract void apply(Engine engine);

  /** About how many bytes it writes. */
  abstract long weight();

  final void succeed() {
    outcome.complete(null);
  }

  final void fail(StorageException failure) {
    outcome.complete(failure);
  }

  /** Waits for the outcome; an interrupt does not end the wait and stays set. */
  final void await() throws StorageException {
    StorageException failure = outcome.join();
    if (failure != null) {
      // A new exception, so that the trace shows the caller and not the commit thread.
      throw new StorageException(
          failure.storage(),
          String.valueOf(failure.getMessage()),
          failure.getCause(),
          failure.retryable());
    }
  }

  static Change put(List<Entry> entries) {
    return new Change() {
      @Override
      void apply(Engine engine) {
        for (Entry entry : entries) {
          engine.put(entry.key, entry.value);
        }
      }

      @Override
      long weight() {
        long sum = 0;
        for (Entry entry : entries) {
          sum += entry.key.length + entry.value.length;
        }
        return sum;
      }
    };
  }

  static Change remove(byte[] key) {
    return new Change() {
      @Override
      void apply(Engine engine) {
        engine.remove(key);
      }

      @Override
      long weight() {
        return key.length;
      }
    };
  }

  static Change clear() {
    return of(Engine::clear);
  }

  /** Changes nothing; it only comes to the commit thread. */
  static Change nothing() {
    return of(engine -> {});
  }

  private static Change of(Consumer<Engine> action) {
    return new Change() {
      @Override
      void apply(Engine engine) {
        action.accept(engine);
      }

      @Override
      long weight() {
        return 0;
      }
    };
  }
}

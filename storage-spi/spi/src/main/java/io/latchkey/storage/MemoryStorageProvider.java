package io.latchkey.storage;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Opens {@code memory:} and {@code memory:NAME}; {@link MemoryStorage} says what they are. */
public final class MemoryStorageProvider implements StorageProvider {
  private static final String HISTORY = "history";

  /** The named storages that are open; guarded by itself. */
  private static final Map<String, Shared> SHARED = new HashMap<>();

  private static final class Shared {
    final MemoryRevisions contents;
    int users;

    Shared(int history) {
      contents = new MemoryRevisions(history);
    }
  }

  /** Made by the service loader. */
  public MemoryStorageProvider() {}

  @Override
  public String scheme() {
    return "memory";
  }

  /**
   * {@inheritDoc}
   *
   * <p>The name may hold any characters; slashes before it do not count. The parameter {@code
   * history} says before how many of the last commits the storage can be read; users of one name
   * who give it give the same.
   */
  @Override
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    StorageUrl url = StorageUrl.of(uri);
    url.allowParameters(HISTORY);
    String given = url.parameters().get(HISTORY);
    int history = given == null ? MemoryRevisions.HISTORY : history(url, given);
    String name = url.location().replaceFirst("^/+", "");
    if (name.isEmpty()) {
      MemoryRevisions own = new MemoryRevisions(history);
      return MemoryStorage.encoded("memory:", own, keys, values, own::close);
    }
    MemoryRevisions shared = join(url, name, history, given != null);
    return MemoryStorage.encoded(
        StorageUrl.redact("memory:" + name), shared, keys, values, () -> leave(name));
  }

  private static int history(StorageUrl url, String given) throws StorageException {
    try {
      int history = Integer.parseInt(given);
      if (history >= 0) {
        return history;
      }
    } catch (NumberFormatException e) {
      throw badHistory(url, given, e);
    }
    throw badHistory(url, given, null);
  }

  private static StorageException badHistory(
      StorageUrl url, String given, @Nullable Throwable cause) {
    return new StorageException(
        url.toString(),
        "cannot open "
            + url
            + ": history is '"
            + given
            + "': give a number of commits from 0 to "
            + Integer.MAX_VALUE,
        cause,
        false);
  }

  private static MemoryRevisions join(StorageUrl url, String name, int history, boolean given)
      throws StorageException {
    synchronized (SHARED) {
      Shared shared = SHARED.computeIfAbsent(name, absent -> new Shared(history));
      if (given && shared.contents.history() != history) {
        throw new StorageException(
            url.toString(),
            "cannot open "
                + url
                + " with history="
                + history
                + ": it is open with history="
                + shared.contents.history()
                + "; leave the parameter out, or give the same",
            null,
            false);
      }
      shared.users++;
      return shared.contents;
    }
  }

  private static void leave(String name) {
    synchronized (SHARED) {
      Shared shared = SHARED.get(name);
      if (shared != null && --shared.users == 0) {
        SHARED.remove(name);
      }
    }
  }
}

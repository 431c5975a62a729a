package io.latchkey.storage;

import java.util.Iterator;
import java.util.Locale;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Opens storages by URL. The {@linkplain StorageProvider providers} are looked for on the class
 * path or module path, through the thread's context class loader and then through the loader of
 * this class; the first one that has the URL's scheme opens it. Thread-safe.
 */
public final class Storages {
  /** Bounds the attempts when a class loader fails for ever. */
  private static final int MAX_FAILURES = 32;

  private Storages() {}

  /**
   * Opens the storage that the URL names, for example {@code memory:} or {@code mvstore:data/x.db};
   * {@link StorageUrl} says how URLs are written.
   *
   * <p>Costs a look at all providers; meant to be called once for a storage.
   *
   * @param url the URL
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return an open storage, to be closed by the caller
   * @throws NullPointerException if an argument is null
   * @throws StorageException if the URL is malformed or of a scheme that nobody provides, or the
   *     provider cannot open it; the message has no credentials and names the mend
   */
  public static <K, V> Storage<K, V> open(String url, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(url, "url");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    StorageUrl parsed = StorageUrl.parse(url);
    Search search = new Search(parsed.scheme());
    StorageProvider provider = search.in(Thread.currentThread().getContextClassLoader());
    if (provider == null) {
      provider = search.in(Storages.class.getClassLoader());
    }
    if (provider == null) {
      throw search.notFound(parsed);
    }
    return open(provider, parsed, keys, values);
  }

  private static <K, V> Storage<K, V> open(
      StorageProvider provider, StorageUrl url, Codec<K> keys, Codec<V> values)
      throws StorageException {
    String by = provider.getClass().getName();
    try {
      return Objects.requireNonNull(
          provider.open(url.uri(), keys, values), "the provider returned null");
    } catch (LinkageError e) {
      throw new StorageException(
          url.toString(),
          "cannot open "
              + url
              + ": "
              + by
              + " lacks a class ("
              + e.getMessage()
              + "): is the jar of the database's driver on the class path?",
          e,
          false);
    } catch (RuntimeException e) {
      throw new StorageException(
          url.toString(), "cannot open " + url + ": " + by + " failed: " + e, e, false);
    }
  }

  /** Looks for the provider of one scheme and remembers what it met on the way. */
  private static final class Search {
    private final String scheme;
    private final TreeSet<String> available = new TreeSet<>();
    private @Nullable Throwable failure;

    Search(String scheme) {
      this.scheme = scheme;
    }

    @Nullable StorageProvider in(@Nullable ClassLoader loader) {
      Iterator<StorageProvider> providers =
          ServiceLoader.load(StorageProvider.class, loader).iterator();
      int failures = 0;
      while (failures < MAX_FAILURES) {
        try {
          if (!providers.hasNext()) {
            break;
          }
          StorageProvider provider = providers.next();
          String offered = provider.scheme().toLowerCase(Locale.ROOT);
          if (offered.equals(scheme)) {
            return provider;
          }
          available.add(offered);
        } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
          // One broken provider must not hide the others; it is told if the scheme is not found.
          failure = e;
          failures++;
        }
      }
      return null;
    }

    StorageException notFound(StorageUrl url) {
      String schemes = available.isEmpty() ? "none" : String.join(", ", available);
      String broken = failure == null ? "" : " A provider failed to load: " + failure + ".";
      return new StorageException(
          url.toString(),
          "no provider opens the scheme '"
              + scheme
              + "' of "
              + url
              + "; available: "
              + schemes
              + ". The jar of the backend may be missing from the class path or module path."
              + broken,
          failure,
          false);
    }
  }
}

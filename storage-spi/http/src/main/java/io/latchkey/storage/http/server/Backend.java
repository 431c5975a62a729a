package io.latchkey.storage.http.server;

import io.latchkey.cache.CacheStats;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The objects that a server serves. */
interface Backend extends AutoCloseable {
  /** The object of a key, completed already if it is cached. Blocks nothing; for event loops. */
  CompletableFuture<@Nullable StoredObject> get(ObjectKey key);

  /** The objects of several keys. Blocks. */
  Map<ObjectKey, StoredObject> getAll(Collection<ObjectKey> keys);

  /**
   * Stores an object and returns its tag. Blocks.
   *
   * @throws Refusal if the conditions do not hold
   */
  String put(ObjectKey key, byte[] body, Conditions conditions) throws Exception;

  /**
   * Deletes an object. Blocks.
   *
   * @throws Refusal if the conditions do not hold
   */
  void delete(ObjectKey key, Conditions conditions) throws Exception;

  /** Stores several objects. Blocks. */
  void putAll(Map<ObjectKey, byte[]> bodies) throws Exception;

  boolean writable();

  /** Whether what the {@link ChangeRing} of the server has are all changes. */
  boolean watchable();

  String name();

  CacheStats stats();

  /** How many entries are cached; zero after the close. */
  long size();

  @Override
  void close();
}

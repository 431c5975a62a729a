/**
 * The storage SPI: what a cache loads from, and what a storage backend implements.
 *
 * <p>{@link io.latchkey.storage.Storage} is the one interface that every backend has; {@link
 * io.latchkey.storage.WritableStorage}, {@link io.latchkey.storage.WatchableStorage}, {@link
 * io.latchkey.storage.RevisionStorage} and {@link io.latchkey.storage.AsyncStorage} are
 * capabilities that it may add. {@link io.latchkey.storage.Storages} opens backends by URL through
 * their {@link io.latchkey.storage.StorageProvider}. Helps for authors of backends: {@link
 * io.latchkey.storage.StorageUrl}, {@link io.latchkey.storage.LocalFeed}, {@link
 * io.latchkey.storage.CommitFeed}. No parameter and no result is ever null unless it is marked so.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage;

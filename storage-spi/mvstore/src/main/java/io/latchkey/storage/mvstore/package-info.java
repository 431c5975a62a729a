/**
 * The storage in one file, on H2's MVStore: {@link io.latchkey.storage.mvstore.MvStorage}.
 *
 * <p>A write goes from the caller's thread to the one {@code CommitThread}, which makes it in the
 * {@code Engine}, an opening of MVStore, and commits it to the {@code ChunkFile}, MVStore's view of
 * the {@code LockedFile}. A load goes from the caller's thread straight to the engine.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage.mvstore;

/**
 * Serves a storage or a cache over HTTP: {@link io.latchkey.storage.http.server.HttpCacheServer}.
 *
 * <p>A request goes from {@code RequestDecoder} to its {@code Connection}, which keeps the order,
 * and from there to {@code Requests}, which finds out what it wants. A cached object comes from the
 * {@code Backend} as a {@code StoredObject}, which is the answer, and is written at once. Anything
 * else waits as an {@code Exchange} in the connection's queue until another thread completes it.
 *
 * <p>Each event loop has a {@code Worker}, and everything of a connection is touched by that loop
 * only. What other threads do to it is one task. The locks: {@code ChangeRing}'s, for a few steps;
 * {@code WriteLocks}, while the storage writes, by threads that may block. No lock is taken while
 * another is held but the ring's.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage.http.server;

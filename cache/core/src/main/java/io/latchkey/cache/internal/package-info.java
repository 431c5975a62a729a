/**
 * The inside of the cache.
 *
 * <h2>Hops</h2>
 *
 * <pre>
 *   hit    LatchCache -> Table -> Entry
 *   miss   LatchCache -> Table -> Entry -> Flights -> (the storage) -> Admission -> EvictionPolicy
 *   join   LatchCache -> Table -> Entry -> Reads -> Joins -> Waiter, woken by Wake
 *
 *   hit of a snapshot    LatchSnapshotCache -> Table -> History -> RevisionEntry
 *   miss of a snapshot   LatchSnapshotCache -> Reads -> RevisionFlights -> (the storage)
 *                        -> History, Arrival -> Admission
 *   commit               Commits -> CommitTail, then History of each key, then Heads
 * </pre>
 *
 * {@link io.latchkey.cache.internal.Admission} keeps an {@link
 * io.latchkey.cache.internal.EvictionPolicy} and an {@link io.latchkey.cache.internal.ExpiryIndex}
 * behind its lock. Look-ups that are neither a plain hit nor a plain miss go through {@link
 * io.latchkey.cache.internal.Reads} and {@link io.latchkey.cache.internal.BulkReads}. Loads that do
 * not run on the caller's thread are started by {@link io.latchkey.cache.internal.Launcher}. {@link
 * io.latchkey.cache.internal.CacheCore} shows how it all hangs together; {@link
 * io.latchkey.cache.internal.CacheParts} and {@link io.latchkey.cache.internal.SnapshotParts} add
 * what each of the two kinds of caches has of its own.
 *
 * <h2>Locks</h2>
 *
 * <table>
 *   <caption>locks, in the order in which they may be nested</caption>
 *   <tr><th>lock</th><th>guards</th><th>taken by</th><th>user code under it</th></tr>
 *   <tr><td>policy lock, {@code Admission.owner}</td><td>policy, order of expiry, marks</td>
 *       <td>misses, writes, removals</td><td>none</td></tr>
 *   <tr><td>monitor of a {@code History}</td><td>the revisions and flights of a key</td>
 *       <td>misses of snapshots, commits, removals</td><td>{@code hashCode}, {@code equals}</td></tr>
 *   <tr><td>stripe of the {@code Table}</td><td>links and slots of its hashes</td><td>insertions,
 *       removals, growth, look-ups that must be sure of a miss</td><td>{@code equals} and, among
 *       colliding keys, {@code compareTo}</td></tr>
 *   <tr><td>monitor of {@code Writes}</td><td>the lanes of writers</td><td>writes to a storage</td>
 *       <td>{@code hashCode}, {@code equals}</td></tr>
 *   <tr><td>monitor of {@code Feed}</td><td>the position in the feed</td><td>events</td>
 *       <td>none</td></tr>
 *   <tr><td>monitor of {@code Commits}</td><td>the position in the feed of commits</td>
 *       <td>commits</td><td>{@code hashCode}, {@code equals}; takes those of histories and
 *       stripes</td></tr>
 *   <tr><td>lock of {@code Heads}</td><td>who waits for a revision</td><td>them, and the commits
 *       that they wait for</td><td>none</td></tr>
 * </table>
 *
 * Only the first three nest. No lock is held while the storage, the weigher, the expiry function,
 * the removal listener, the ticker, the executor or a callback of a future runs.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.cache.internal;

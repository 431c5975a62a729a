/**
 * The caches that are measured, each behind {@link io.latchkey.bench.peers.CacheUnderTest} and set
 * up as its own documentation recommends, with the same bound over the same storage. {@link
 * io.latchkey.bench.peers.Implementation} lists them.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.peers;

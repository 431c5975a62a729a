/**
 * Replays traces against caches, by one thread, and counts hits; with exact simulations of least
 * recently used and of Belady's optimum to hold them against.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.replay;

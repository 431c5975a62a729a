/**
 * The {@code memory} command's work: what a full cache retains, in a JVM of its own, by a walk over
 * the objects it reaches ({@code HeapWalk}) and by the heap that is in use with and without it.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.memory;

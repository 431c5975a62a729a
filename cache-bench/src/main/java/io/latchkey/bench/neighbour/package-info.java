/** The {@code neighbour} command's work: what a slow load delays that has nothing to do with it. */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.neighbour;

/**
 * Which keys are read: drawn from a distribution, or replayed from a trace file. A key is an index,
 * from 0 to the number of objects less one.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.keys;

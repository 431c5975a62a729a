/**
 * The {@code compare} command's work: {@code JmhFile} reads results, {@code Comparison} pairs them
 * and asks {@code Significance} whether they differ, {@code CompareTables} shows the pairs.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.compare;

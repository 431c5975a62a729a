/**
 * The {@code flight} command's work: many callers wait for one load. A {@code Drill} lines them up
 * behind a load that is held until all of them really wait, a {@code FlightProbe} repeats that in a
 * JVM of its own, and {@code FlightRun} lets the caches take turns.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.flight;

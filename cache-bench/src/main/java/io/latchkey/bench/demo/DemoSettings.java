package io.latchkey.bench.demo;

import io.latchkey.bench.keys.Trace;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a demonstration does.
 *
 * @param objects how many objects the store holds
 * @param bytes the size of an object's payload
 * @param bound how many objects a cache may hold
 * @param threads how many threads read
 * @param measured how long each cache is measured, over all rounds
 * @param writesPerSecond how many objects the writer updates, 0 for none
 * @param skew the skew of Zipf's law by which objects are chosen
 * @param seed decides all that is random
 * @param callers how many ask at once for the cold object
 * @param stampedeLatency how long the load of the cold object is made to take
 * @param file the file of the store, null for a temporary one
 * @param storage the URL of another store, null for a file
 * @param trace the reads to replay, null to draw them
 * @param traceName what the trace is called
 */
public record DemoSettings(
    int objects,
    int bytes,
    int bound,
    int threads,
    Duration measured,
    int writesPerSecond,
    double skew,
    long seed,
    int callers,
    Duration stampedeLatency,
    @Nullable Path file,
    @Nullable String storage,
    @Nullable Trace trace,
    String traceName) {}

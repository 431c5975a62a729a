package io.latchkey.cache;

/**
 * What a {@link LoaderPool} does and has done, all at one moment, see {@link LoaderPool#stats}.
 * Immutable.
 *
 * @param workers threads of the pool that work or are idle
 * @param idleWorkers those that are idle
 * @param queuedTasks tasks that wait for a worker
 * @param completedCount tasks that ran on a worker and returned
 * @param failedCount tasks that ran on a worker and threw
 * @param refusedCount tasks that the pool did not take because it was full; those that ran on the
 *     thread of their submitter included
 * @param callerRunCount tasks that ran on the thread of their submitter, because the pool was full
 */
public record LoaderPoolStats(
    int workers,
    int idleWorkers,
    int queuedTasks,
    long completedCount,
    long failedCount,
    long refusedCount,
    long callerRunCount) {}

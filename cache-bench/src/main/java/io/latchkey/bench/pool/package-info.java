/**
 * Executors under tasks that are short, block, or close sockets: what handing a task over costs.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.pool;

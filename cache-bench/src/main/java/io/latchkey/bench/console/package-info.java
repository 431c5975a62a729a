/** What a command shows: progress while it works, tables of results, one line for bad input. */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.console;

/**
 * What a run leaves behind: the JSON it writes, with the machine, the command and the settings
 * beside the figures, and the warnings about figures that should not be relied on.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.results;

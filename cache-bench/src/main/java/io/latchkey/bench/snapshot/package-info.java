/** What reads of many objects at one revision cost, and the commits between them. */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.snapshot;

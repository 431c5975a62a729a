/** Measures how long a storage takes to load, by itself and behind the cache. */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.backend;

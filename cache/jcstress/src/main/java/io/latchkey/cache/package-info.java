/** Memory order tests of what stands beside the cache: the pool. */
@org.jspecify.annotations.NullMarked
package io.latchkey.cache;

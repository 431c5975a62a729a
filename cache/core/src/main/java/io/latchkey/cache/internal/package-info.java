/** The inside of the cache. */
@org.jspecify.annotations.NullMarked
package io.latchkey.cache.internal;

/** The cache: single-flight loading over a storage, with eviction, expiry and invalidation. */
@org.jspecify.annotations.NullMarked
package io.latchkey.cache;

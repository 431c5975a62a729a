/** The storage SPI: what a cache loads from, and what a storage backend implements. */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage;

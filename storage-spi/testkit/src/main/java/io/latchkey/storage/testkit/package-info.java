/** The contract suite that every storage backend passes. */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage.testkit;

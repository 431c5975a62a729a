/**
 * Tests of the internals under the memory model. They stand in the package of what they test, as
 * its protocols are not visible outside.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.cache.internal;

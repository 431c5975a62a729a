/** The embedded storage on H2 MVStore. */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage.mvstore;

/** What storages tell of changes, for people. */
@NullMarked
package io.latchkey.bench.feed;

import org.jspecify.annotations.NullMarked;

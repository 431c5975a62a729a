/**
 * The storage in a table of a database, by JDBC: {@code jdbc:…}. On PostgreSQL it tells what others
 * change, and has revisions.
 */
@NullMarked
package io.latchkey.storage.jdbc;

import org.jspecify.annotations.NullMarked;

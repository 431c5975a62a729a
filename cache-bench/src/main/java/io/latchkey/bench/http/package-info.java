/**
 * The {@code http} command's work: a server in a JVM of its own, and a load generator on plain
 * sockets of one thread, so that no HTTP client's cost is mistaken for the server's.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.http;

/**
 * Storages over HTTP: the client, and what client and server share of the wire format. {@link
 * io.latchkey.storage.http.HttpStorage} makes a storage of a server's URL. {@link
 * io.latchkey.storage.http.KeyText} is how keys are written in paths, {@link
 * io.latchkey.storage.http.Frames} how several keys and objects are put into one body, {@link
 * io.latchkey.storage.http.FeedPosition} the identity of an event of the feed.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage.http;

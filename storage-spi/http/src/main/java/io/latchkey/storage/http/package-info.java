/**
 * Storages over HTTP: what the client and the server share of the wire format. {@link
 * io.latchkey.storage.http.KeyText} is how keys are written in paths, {@link
 * io.latchkey.storage.http.Frames} how several keys and objects are put into one body, {@link
 * io.latchkey.storage.http.FeedPosition} the identity of an event of the feed.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage.http;

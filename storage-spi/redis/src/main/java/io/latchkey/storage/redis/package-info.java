/**
 * The storage on Redis: {@link io.latchkey.storage.redis.RedisStorage}.
 *
 * <p>A call goes from the caller's thread to a {@code Layout}, which knows where in Redis an object
 * is and with which commands it is read and written, and from there over the {@code Session} that
 * the {@code Server} has, which connects anew when the one before ended. {@code Failures} says what
 * an error means. The feed has a thread of its own, {@code TrackingFeed}, which keeps a {@code
 * Tracking} of the keys that clients change on every server, and tells what its {@code Inbox} got.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage.redis;

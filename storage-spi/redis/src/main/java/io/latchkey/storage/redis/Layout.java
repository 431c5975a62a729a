package io.latchkey.storage.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Where in Redis an object is, and with which commands it is read and written. */
interface Layout {
  /** How many objects one command reads at most, so that it does not keep others waiting long. */
  int READ_CHUNK = 1_000;

  /** How many objects one command writes at most; more would not fit into one, by and by. */
  int WRITE_CHUNK = 100_000;

  /** The object, or null. */
  CompletionStage<byte @Nullable []> get(Session session, byte[] key);

  /** The objects in the order of their keys; null stands for those that there are not. */
  CompletionStage<List<byte @Nullable []>> getAll(Session session, List<byte[]> keys);

  /** The object, or null, and how many milliseconds it has left to live; negative for no end. */
  CompletionStage<Remaining> getRemaining(Session session, byte[] key);

  CompletionStage<?> set(Session session, byte[] key, byte[] object);

  /** Sets all; a key that is there twice gets the last object. */
  CompletionStage<?> setAll(Session session, List<byte[]> keys, List<byte[]> objects);

  CompletionStage<?> delete(Session session, byte[] key);

  /** What all Redis keys begin with that hold objects. */
  byte[] prefix();

  /** What a change of a Redis key means. */
  Scope scope(byte[] redisKey);

  /** The key of the object in a Redis key whose scope is one object. */
  byte[] key(byte[] redisKey);

  /** The type that Redis keys have to have, for messages. */
  String type();

  /** Which objects a Redis key holds. */
  enum Scope {
    NONE,
    ONE,
    ALL
  }

  /** An object, or null, and how many milliseconds it has left; negative for no end. */
  record Remaining(byte @Nullable [] object, long millis) {}

  static Layout of(RedisOptions options) {
    if (options.hash() != null) {
      return new HashLayout(utf8(options.hash()));
    }
    Duration ttl = options.ttl();
    long millis = ttl == null ? 0 : ttl.toMillis();
    return options.field() == null
        ? new StringLayout(new Prefix(utf8(options.prefix())), millis)
        : new FieldLayout(new Prefix(utf8(options.prefix())), utf8(options.field()), millis);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

package io.latchkey.storage.redis;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One Redis hash with a field for each object. Redis tells changes of a hash without the field, so
 * each may be one of any object.
 *
 * @param name the name of the hash
 */
record HashLayout(byte[] name) implements Layout {
  @Override
  public CompletionStage<byte @Nullable []> get(Session session, byte[] key) {
    return session.commands().hget(name, key);
  }

  @Override
  public CompletionStage<List<byte @Nullable []>> getAll(Session session, List<byte[]> keys) {
    return Chunks.values(
        keys, chunk -> session.commands().hmget(name, chunk.toArray(byte[][]::new)));
  }

  @Override
  public CompletionStage<Remaining> getRemaining(Session session, byte[] key) {
    return RemainingScript.run(session, "redis.call('HGET', KEYS[1], ARGV[1])", name, key);
  }

  @Override
  public CompletionStage<?> set(Session session, byte[] key, byte[] object) {
    session.track(List.of(name));
    return session.commands().hset(name, key, object);
  }

  @Override
  public CompletionStage<?> setAll(Session session, List<byte[]> keys, List<byte[]> objects) {
    session.track(List.of(name));
    return Chunks.entries(keys, objects, fields -> session.commands().hset(name, fields));
  }

  @Override
  public CompletionStage<?> delete(Session session, byte[] key) {
    session.track(List.of(name));
    return session.commands().hdel(name, key);
  }

  @Override
  public byte[] prefix() {
    return name;
  }

  @Override
  public Scope scope(byte[] redisKey) {
    return Arrays.equals(redisKey, name) ? Scope.ALL : Scope.NONE;
  }

  @Override
  public byte[] key(byte[] redisKey) {
    throw new IllegalArgumentException("a hash of all objects has no key of one");
  }

  @Override
  public String type() {
    return "hash";
  }
}

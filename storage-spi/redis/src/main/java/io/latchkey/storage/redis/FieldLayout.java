package io.latchkey.storage.redis;

import static io.lettuce.core.protocol.CommandType.HGET;
import static io.lettuce.core.protocol.CommandType.HSET;
import static io.lettuce.core.protocol.CommandType.PEXPIRE;

import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A Redis hash for each object, of which one field holds it; other fields are others' business.
 *
 * @param prefixed the names of the hashes
 * @param field the name of the field
 * @param ttlMillis the time to live of a hash of which something is stored; 0 for no end
 */
record FieldLayout(Prefix prefixed, byte[] field, long ttlMillis) implements Layout {
  @Override
  public CompletionStage<byte @Nullable []> get(Session session, byte[] key) {
    return session.commands().hget(prefixed.name(key), field);
  }

  /** There is no command that reads fields of several hashes. */
  @Override
  public CompletionStage<List<byte @Nullable []>> getAll(Session session, List<byte[]> keys) {
    List<AsyncCommand<byte[], byte[], byte @Nullable []>> gets = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      gets.add(
          Session.command(
              HGET,
              new ValueOutput<>(Session.CODEC),
              Session.key(prefixed.name(key)).addKey(field)));
    }
    return session.pipeline(gets);
  }

  @Override
  public CompletionStage<Remaining> getRemaining(Session session, byte[] key) {
    return RemainingScript.run(
        session, "redis.call('HGET', KEYS[1], ARGV[1])", prefixed.name(key), field);
  }

  @Override
  public CompletionStage<?> set(Session session, byte[] key, byte[] object) {
    return setAll(session, List.of(key), List.of(object));
  }

  @Override
  public CompletionStage<?> setAll(Session session, List<byte[]> keys, List<byte[]> objects) {
    List<byte[]> names = prefixed.names(keys);
    session.track(names);
    List<AsyncCommand<byte[], byte[], Long>> sets = new ArrayList<>(2 * keys.size());
    for (int i = 0; i < names.size(); i++) {
      sets.add(
          Session.command(
              HSET,
              new IntegerOutput<>(Session.CODEC),
              Session.key(names.get(i)).addKey(field).addValue(objects.get(i))));
      if (ttlMillis > 0) {
        sets.add(
            Session.command(
                PEXPIRE,
                new IntegerOutput<>(Session.CODEC),
                Session.key(names.get(i)).add(ttlMillis)));
      }
    }
    return session.pipeline(sets);
  }

  @Override
  public CompletionStage<?> delete(Session session, byte[] key) {
    byte[] name = prefixed.name(key);
    session.track(List.of(name));
    return session.commands().hdel(name, field);
  }

  @Override
  public byte[] prefix() {
    return prefixed.bytes();
  }

  @Override
  public Scope scope(byte[] redisKey) {
    return prefixed.scope(redisKey);
  }

  @Override
  public byte[] key(byte[] redisKey) {
    return prefixed.key(redisKey);
  }

  @Override
  public String type() {
    return "hash";
  }
}

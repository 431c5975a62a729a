package io.latchkey.storage.redis;

import static io.lettuce.core.protocol.CommandType.SET;

import io.lettuce.core.SetArgs;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A Redis string for each object.
 *
 * @param prefixed the names
 * @param ttlMillis the time to live of what is stored; 0 for no end
 */
record StringLayout(Prefix prefixed, long ttlMillis) implements Layout {
  @Override
  public CompletionStage<byte @Nullable []> get(Session session, byte[] key) {
    return session.commands().get(prefixed.name(key));
  }

  @Override
  public CompletionStage<List<byte @Nullable []>> getAll(Session session, List<byte[]> keys) {
    return Chunks.values(
        prefixed.names(keys), chunk -> session.commands().mget(chunk.toArray(byte[][]::new)));
  }

  @Override
  public CompletionStage<Remaining> getRemaining(Session session, byte[] key) {
    return RemainingScript.run(session, "redis.call('GET', KEYS[1])", prefixed.name(key));
  }

  @Override
  public CompletionStage<?> set(Session session, byte[] key, byte[] object) {
    byte[] name = prefixed.name(key);
    session.track(List.of(name));
    return ttlMillis == 0
        ? session.commands().set(name, object)
        : session.commands().set(name, object, SetArgs.Builder.px(ttlMillis));
  }

  @Override
  public CompletionStage<?> setAll(Session session, List<byte[]> keys, List<byte[]> objects) {
    List<byte[]> names = prefixed.names(keys);
    session.track(names);
    if (ttlMillis > 0) {
      List<AsyncCommand<byte[], byte[], String>> sets = new ArrayList<>(keys.size());
      for (int i = 0; i < names.size(); i++) {
        CommandArgs<byte[], byte[]> arguments = Session.key(names.get(i)).addValue(objects.get(i));
        SetArgs.Builder.px(ttlMillis).build(arguments);
        sets.add(Session.command(SET, new StatusOutput<>(Session.CODEC), arguments));
      }
      return session.pipeline(sets);
    }
    return Chunks.entries(names, objects, session.commands()::mset);
  }

  @Override
  public CompletionStage<?> delete(Session session, byte[] key) {
    byte[] name = prefixed.name(key);
    session.track(List.of(name));
    return session.commands().del(name);
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
    return "string";
  }
}

package io.latchkey.storage.redis;

import io.latchkey.storage.redis.Layout.Remaining;
import io.lettuce.core.ScriptOutputType;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Reads an object and its time to live as of one moment, which no two commands can do. */
final class RemainingScript {
  private RemainingScript() {}

  static CompletionStage<Remaining> run(
      Session session, String reading, byte[] name, byte[]... arguments) {
    return session
        .commands()
        .<List<Object>>eval(
            "return {" + reading + ", redis.call('PTTL', KEYS[1])}",
            ScriptOutputType.MULTI,
            new byte[][] {name},
            arguments)
        .thenApply(parts -> new Remaining((byte[]) parts.get(0), (Long) parts.get(1)));
  }
}

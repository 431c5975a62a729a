package io.latchkey.storage.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A connection to a server, or the connections to those of a cluster, on which many calls are under
 * way at once. It ends with the connection; Lettuce repeats nothing on another one. Thread-safe.
 *
 * @param connection the connection
 * @param commands its commands
 * @param cluster whether keys are on several servers
 * @param tracksReads whether the server tells changes of keys that were read here, and of no others
 */
record Session(
    StatefulConnection<byte[], byte[]> connection,
    RedisClusterAsyncCommands<byte[], byte[]> commands,
    boolean cluster,
    boolean tracksReads) {
  static final ByteArrayCodec CODEC = ByteArrayCodec.INSTANCE;

  static Session of(StatefulRedisConnection<byte[], byte[]> connection, boolean tracksReads) {
    return new Session(connection, connection.async(), false, tracksReads);
  }

  static Session of(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    return new Session(connection, connection.async(), true, false);
  }

  /** Whether the connection is there; in a cluster, whether it was not closed here. */
  boolean isOpen() {
    return connection.isOpen();
  }

  /**
   * A command that was just sent, or a failure if its connection ended before it was. Lettuce fails
   * what is under way when a connection ends, but what comes at that very moment it may keep for
   * the next connection, which there is not; its caller would wait in vain.
   */
  <T> CompletionStage<T> ending(CompletionStage<T> sent) {
    if (isOpen() || sent.toCompletableFuture().isDone()) {
      return sent;
    }
    CompletableFuture<T> lost = new CompletableFuture<>();
    lost.completeExceptionally(new RedisException("the connection ended"));
    return lost;
  }

  static <T> AsyncCommand<byte[], byte[], T> command(
      CommandType type,
      CommandOutput<byte[], byte[], T> output,
      CommandArgs<byte[], byte[]> arguments) {
    return new AsyncCommand<>(new Command<>(type, output, arguments));
  }

  static CommandArgs<byte[], byte[]> key(byte[] name) {
    return new CommandArgs<>(CODEC).addKey(name);
  }

  /**
   * Lets the server remember keys that are about to be written here, as if they had been read: it
   * then tells this change of them, and until they are read no other.
   */
  void track(List<byte[]> names) {
    if (tracksReads) {
      for (int from = 0; from < names.size(); from += Layout.READ_CHUNK) {
        int to = Math.min(names.size(), from + Layout.READ_CHUNK);
        // Its failure shows in the write, which is sent after it.
        var unused = commands.exists(names.subList(from, to).toArray(byte[][]::new));
      }
    }
  }

  /** Sends commands in one go; their results come in their order. */
  <T> CompletableFuture<List<T>> pipeline(List<AsyncCommand<byte[], byte[], T>> batch) {
    connection.dispatch(batch);
    return inOrder(batch);
  }

  static <T> CompletableFuture<List<T>> inOrder(List<? extends CompletableFuture<T>> parts) {
    return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            all -> {
              List<T> results = new ArrayList<>(parts.size());
              for (CompletableFuture<T> part : parts) {
                results.add(part.join());
              }
              return results;
            });
  }
}

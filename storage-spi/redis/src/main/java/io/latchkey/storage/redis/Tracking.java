package io.latchkey.storage.redis;

import io.latchkey.storage.StorageException;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.push.PushMessage;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection on which one server tells changes: it said that it does so, and answered once after
 * that. It ends with the connection, which is a loss, as are servers that cannot be asked.
 */
final class Tracking implements AutoCloseable {
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final @Nullable Set<String> nodes;

  private Tracking(
      StatefulRedisConnection<byte[], byte[]> connection, @Nullable Set<String> nodes) {
    this.connection = connection;
    this.nodes = nodes;
  }

  /**
   * Connects and lets the server track. Blocks.
   *
   * @param client makes the connection
   * @param uri where the server is
   * @param nodes in a cluster, the ids of the nodes that are tracked besides; null otherwise
   * @param inbox is told what changes, and the end
   */
  static Tracking open(
      RedisClient client,
      RedisURI uri,
      @Nullable Set<String> nodes,
      RedisOptions options,
      Failures failures,
      Inbox inbox)
      throws StorageException, InterruptedException {
    String server = uri.getHost() + ":" + uri.getPort();
    Duration timeout = options.timeout();
    CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connecting =
        client.connectAsync(Session.CODEC, uri).toCompletableFuture();
    boolean opened = false;
    try {
      Tracking tracking = new Tracking(await(connecting, timeout, failures), nodes);
      tracking.connection.addListener(message -> hear(message, inbox));
      tracking.connection.addListener(
          new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
              inbox.lost("the connection to " + server + " ended");
            }
          });
      await(tracking.connection.async().clientTracking(arguments(options)), timeout, failures);
      String reason = await(tracking.probe(), timeout, failures);
      if (reason != null) {
        throw new StorageException(failures.name(), reason, null, true);
      }
      opened = true;
      return tracking;
    } finally {
      if (!opened) {
        var unused = connecting.thenCompose(StatefulRedisConnection::closeAsync);
      }
    }
  }

  private static TrackingArgs arguments(RedisOptions options) {
    TrackingArgs arguments = TrackingArgs.Builder.enabled();
    if (options.feed() == RedisOptions.Feed.BROADCAST) {
      arguments.bcast();
      String hash = options.hash();
      String prefix = hash == null ? options.prefix() : hash;
      if (!prefix.isEmpty()) {
        arguments.prefixes(prefix);
      }
    }
    return arguments;
  }

  private static <T> T await(CompletionStage<T> stage, Duration timeout, Failures failures)
      throws StorageException, InterruptedException {
    try {
      return stage.toCompletableFuture().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw failures.tracking(e);
    } catch (TimeoutException e) {
      throw failures.timedOut("watch");
    }
  }

  private static void hear(PushMessage message, Inbox inbox) {
    if (!message.getType().equals("invalidate")) {
      return;
    }
    List<Object> content = message.getContent();
    if (content.size() > 1 && content.get(1) instanceof List<?> changed) {
      List<byte[]> names = new ArrayList<>(changed.size());
      for (Object name : changed) {
        names.add(bytes(name));
      }
      inbox.changed(names);
    } else {
      inbox.changedAll(); // FLUSHALL and FLUSHDB tell no keys
    }
  }

  private static byte[] bytes(Object name) {
    if (name instanceof ByteBuffer buffer) {
      ByteBuffer source = buffer.duplicate();
      byte[] bytes = new byte[source.remaining()];
      source.get(bytes);
      return bytes;
    }
    return (byte[]) name;
  }

  /** Where reads are tracked. */
  Session session() {
    return Session.of(connection, true);
  }

  /** Asks the server whether all is well; completes with what is not, or null. */
  CompletableFuture<@Nullable String> probe() {
    if (nodes == null) {
      return connection
          .async()
          .ping()
          .<@Nullable String>thenApply(pong -> null)
          .toCompletableFuture();
    }
    return connection.async().clusterNodes().thenApply(this::change).toCompletableFuture();
  }

  /** What in the cluster is not as it was when the feed began, as this node sees it; or null. */
  private @Nullable String change(String view) {
    for (RedisClusterNode node : ClusterPartitionParser.parse(view)) {
      boolean serves = isMaster(node) && !node.hasNoSlots();
      if (serves && nodes != null && !nodes.contains(node.getNodeId())) {
        return "the cluster has a new master " + node.getNodeId();
      }
      if (!serves && node.is(NodeFlag.MYSELF)) {
        return "the node " + node.getNodeId() + " is no master any more";
      }
    }
    return null;
  }

  static boolean isMaster(RedisClusterNode node) {
    return node.is(NodeFlag.UPSTREAM); // also those that call themselves masters
  }

  @Override
  public void close() {
    if (connection.isOpen()) {
      var unused = connection.closeAsync();
    }
  }
}

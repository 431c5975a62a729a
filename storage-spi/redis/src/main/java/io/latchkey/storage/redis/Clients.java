package io.latchkey.storage.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce's clients, of which a storage has its own, with threads of its own: one of single
 * servers, and with a cluster also one of that. The former repeats no command on another
 * connection: a write that may have been done is not done again later, over what others wrote
 * since. The latter does so until the time-out, as connections to nodes come and go with the
 * topology.
 */
final class Clients {
  /** The least that Lettuce takes; they only move bytes and decode for asynchronous calls. */
  private static final int THREADS = 2;

  private static final Duration CLOSING = Duration.ofSeconds(2);
  private static final Duration TOPOLOGY_PERIOD = Duration.ofSeconds(30);
  private static final Duration TOPOLOGY_TRIGGER_PERIOD = Duration.ofMillis(500);

  private final ClientResources resources;
  private final RedisClient single;
  private final @Nullable RedisClusterClient cluster;

  Clients(List<RedisURI> nodes, RedisOptions options) {
    resources =
        ClientResources.builder()
            .ioThreadPoolSize(THREADS)
            .computationThreadPoolSize(THREADS)
            .build();
    SocketOptions socket =
        SocketOptions.builder().connectTimeout(options.timeout()).keepAlive(true).build();
    single = RedisClient.create(resources);
    single.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .socketOptions(socket)
            .build());
    cluster = options.cluster() ? cluster(nodes, socket, options) : null;
  }

  private RedisClusterClient cluster(
      List<RedisURI> nodes, SocketOptions socket, RedisOptions options) {
    RedisClusterClient client = RedisClusterClient.create(resources, nodes);
    ClusterClientOptions.Builder builder =
        ClusterClientOptions.builder()
            // What waits for its connection is sent no more when its caller has left.
            .timeoutOptions(TimeoutOptions.enabled(options.timeout()))
            .socketOptions(socket)
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .enablePeriodicRefresh(TOPOLOGY_PERIOD)
                    .adaptiveRefreshTriggersTimeout(TOPOLOGY_TRIGGER_PERIOD)
                    .build());
    var unused = builder.maintNotificationsConfig(MaintNotificationsConfig.disabled());
    client.setOptions(builder.build());
    return client;
  }

  RedisClient single() {
    return single;
  }

  /** Null if it is no cluster. */
  @Nullable RedisClusterClient cluster() {
    return cluster;
  }

  /** Ends the connections and threads; returns when that is done, or some seconds later. */
  void close() {
    CompletableFuture<?> closing =
        (cluster == null
                ? shutdown(single)
                : CompletableFuture.allOf(shutdown(single), shutdown(cluster)))
            .exceptionally(failure -> null); // what is left ends with the threads
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      // One of those threads, closing from inside a callback, would wait for itself.
      var unused = closing.thenRun(this::endThreadsLater);
      return;
    }
    try {
      closing.get(CLOSING.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // What is left of the connections ends with the threads as well.
    }
    endThreads().awaitUninterruptibly(CLOSING.toMillis());
  }

  private void endThreadsLater() {
    var unused = endThreads();
  }

  private Future<Boolean> endThreads() {
    return resources.shutdown(0, CLOSING.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static CompletableFuture<Void> shutdown(AbstractRedisClient client) {
    return client.shutdownAsync(0, CLOSING.toMillis(), TimeUnit.MILLISECONDS);
  }
}

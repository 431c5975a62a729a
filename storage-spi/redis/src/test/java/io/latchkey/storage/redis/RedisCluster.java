package io.latchkey.storage.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Three masters of a cluster on the loopback interface, and nodes that join it later. */
final class RedisCluster implements AutoCloseable {
  private static final int SLOTS = 16_384;
  private static final int MASTERS = 3;

  private final List<RedisServer> nodes = new ArrayList<>();

  static RedisCluster start() throws Exception {
    RedisCluster cluster = new RedisCluster();
    try {
      for (int i = 0; i < MASTERS; i++) {
        cluster.add();
      }
      int each = SLOTS / MASTERS + 1;
      for (int i = 0; i < MASTERS; i++) {
        int[] slots = new int[Math.min(each, SLOTS - i * each)];
        for (int s = 0; s < slots.length; s++) {
          slots[s] = i * each + s;
        }
        cluster.node(i).commands().clusterAddSlots(slots);
      }
      for (RedisServer node : cluster.nodes) {
        cluster.awaitWhole(node);
      }
      return cluster;
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  /** Starts a node, which meets the others but has no slots. */
  RedisServer add() throws Exception {
    RedisServer node =
        RedisServer.start("--cluster-enabled", "yes", "--cluster-node-timeout", "2000");
    nodes.add(node);
    if (nodes.size() > 1) {
      node.commands().clusterMeet("127.0.0.1", node(0).port());
    }
    return node;
  }

  RedisServer node(int number) {
    return nodes.get(number);
  }

  /** Waits until a node sees all nodes and slots; the time-out of the test bounds it. */
  void awaitWhole(RedisServer node) {
    while (!node.commands().clusterInfo().contains("cluster_state:ok")
        || node.commands()
                .clusterNodes()
                .lines()
                .filter(line -> line.endsWith(" connected") || line.contains(" connected "))
                .count()
            < nodes.size()
        || node.commands().clusterNodes().contains("handshake")) {
      Thread.onSpinWait();
    }
  }

  String url() {
    return "redis://"
        + nodes.stream()
            .limit(2)
            .map(node -> "127.0.0.1:" + node.port())
            .collect(Collectors.joining(","));
  }

  /** Options with short times, so that a loss is noticed soon. */
  static RedisOptions options() {
    return RedisOptions.defaults()
        .withCluster(true)
        .withTimeout(Duration.ofSeconds(2))
        .withHeartbeat(Duration.ofMillis(300));
  }

  @Override
  public void close() throws Exception {
    for (RedisServer node : nodes) {
      node.close();
    }
  }
}

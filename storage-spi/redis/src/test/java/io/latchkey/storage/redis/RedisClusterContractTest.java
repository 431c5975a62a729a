package io.latchkey.storage.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisClusterContractTest extends RedisStringContractTest {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = RedisCluster.start();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Override
  String url() {
    return cluster.url();
  }

  @Override
  String parameters() {
    return "&cluster=true";
  }
}

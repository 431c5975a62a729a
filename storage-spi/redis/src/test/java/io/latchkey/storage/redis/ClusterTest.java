package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.testkit.FeedRecorder.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.SlotHash;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three masters, of which one is lost, and a fourth that takes a slot over. */
class ClusterTest {
  private RedisCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = RedisCluster.start();
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** A key on one of the masters. */
  private String keyOn(int node) {
    int each = 16_384 / 3 + 1;
    for (int i = 0; true; i++) {
      if (SlotHash.getSlot("k" + i) / each == node) {
        return "k" + i;
      }
    }
  }

  /** A call may meet a node that is not there; the time-out of the test bounds the tries. */
  private static String load(Watched watched, String key) throws Exception {
    while (true) {
      try {
        return watched.storage.load(key);
      } catch (StorageException e) {
        assertThat(e.retryable()).as(e.getMessage()).isTrue();
      }
    }
  }

  /** A third party's write; it may be refused until the nodes agree again. */
  private static void set(RedisServer node, String key, String value) {
    while (true) {
      try {
        node.commands().set(key, value);
        return;
      } catch (RedisCommandExecutionException e) {
        assertThat(e).hasMessageMatching("(MOVED|CLUSTERDOWN) .*"); // the time-out bounds this
      }
    }
  }

  private void assertTellsEverywhere(Watched watched, String value) throws Exception {
    for (int node = 0; node < 3; node++) {
      String key = keyOn(node);
      int events = watched.count();
      set(cluster.node(node), key, value);
      watched.awaitChanged(events, key);
      assertThat(load(watched, key)).isEqualTo(value);
    }
  }

  @Test
  void bulksGoToAllMasters() throws Exception {
    try (RedisStorage<String, String> storage =
        RedisStorage.open(cluster.url(), Codec.utf8(), Codec.utf8(), RedisCluster.options())) {
      Map<String, String> entries = new LinkedHashMap<>();
      for (int i = 0; i < 1_000; i++) {
        entries.put("key" + i, "value" + i);
      }
      storage.storeAll(entries);
      assertThat(storage.loadAll(entries.keySet())).isEqualTo(entries);
      for (int node = 0; node < 3; node++) {
        assertThat(cluster.node(node).commands().dbsize()).isBetween(200L, 500L);
      }
    }
  }

  @Test
  void everyMasterIsWatchedAndTheLossOfOneIsALoss() throws Exception {
    try (Watched watched = Watched.open(cluster.url(), RedisCluster.options())) {
      assertTellsEverywhere(watched, "before");
      int events = watched.count();
      cluster.node(2).kill();
      watched.await(events, Kind.LOST);
      cluster.node(2).restart();
      watched.awaitAnew(events);
      assertTellsEverywhere(watched, "after");

      int later = watched.count();
      cluster.node(1).commands().flushall();
      watched.await(later, Kind.CHANGED_ALL);

      int stopped = watched.count();
      cluster.node(0).signal("STOP");
      watched.await(stopped, Kind.LOST);
      assertThatThrownBy(() -> watched.storage.load(keyOn(0))).isInstanceOf(StorageException.class);
      cluster.node(0).signal("CONT");
      watched.awaitAnew(stopped);
      assertTellsEverywhere(watched, "at last");
    }
  }

  @Test
  void aMasterThatIsNewIsALossAndThenWatched() throws Exception {
    try (Watched watched = Watched.open(cluster.url(), RedisCluster.options())) {
      RedisServer fourth = cluster.add();
      cluster.awaitWhole(fourth);
      String id = fourth.commands().clusterMyId();
      String key = keyOn(0);
      int slot = SlotHash.getSlot(key);
      int events = watched.count();
      fourth.commands().clusterSetSlotNode(slot, id);
      cluster.node(0).commands().clusterSetSlotNode(slot, id);
      fourth.commands().clusterBumpepoch();
      watched.awaitAnew(events);
      int later = watched.count();
      set(fourth, key, "on the new one");
      watched.awaitChanged(later, key);
      assertThat(load(watched, key)).isEqualTo("on the new one");
      assertThat(watched.storage.loadAll(Set.of(key, keyOn(1))))
          .isEqualTo(Map.of(key, "on the new one"));
    }
  }
}

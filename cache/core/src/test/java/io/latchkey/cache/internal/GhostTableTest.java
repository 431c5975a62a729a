package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is remembered of evicted entries. */
class GhostTableTest {
  /** Ghosts that share a bucket. */
  private static final int BUCKET = 12;

  private final GhostTable one = new GhostTable(1);

  /** A hash in the first bucket of any table, with this fingerprint. */
  private static long hash(int fingerprint) {
    return (long) fingerprint << 32;
  }

  @Test
  @DisplayName("A ghost tells its age once, and is forgotten then")
  void takenOnce() {
    one.put(hash(5), 10, 12);
    assertThat(one.take(hash(6), 30)).isEqualTo(-1);
    assertThat(one.take(hash(5), 30)).isEqualTo(20);
    assertThat(one.take(hash(5), 30)).isEqualTo(-1);
  }

  @Test
  @DisplayName("A bucket holds twelve ghosts, each with its own age")
  void bucket() {
    for (int i = 1; i <= BUCKET; i++) {
      one.put(hash(i), 8 * i, 100);
    }
    for (int i = BUCKET; i >= 1; i--) {
      assertThat(one.take(hash(i), 100)).isEqualTo(100 - 8 * i);
    }
    for (int i = 1; i <= BUCKET; i++) {
      assertThat(one.take(hash(i), 100)).isEqualTo(-1);
    }
  }

  @Test
  @DisplayName("In a full bucket the oldest gives way, wherever it stands")
  void oldestGivesWay() {
    for (int oldest = 1; oldest <= BUCKET; oldest++) {
      GhostTable table = new GhostTable(BUCKET);
      for (int i = 1; i <= BUCKET; i++) {
        table.put(hash(i), i == oldest ? 3 : 45 + i, 60);
      }
      table.put(hash(100), 60, 60);
      assertThat(table.take(hash(oldest), 60)).isEqualTo(-1);
      assertThat(table.take(hash(100), 60)).isZero();
      for (int i = 1; i <= BUCKET; i++) {
        assertThat(table.take(hash(i), 60)).isEqualTo(i == oldest ? -1 : 15 - i);
      }
    }
  }

  @Test
  @DisplayName("Ages are right where the coarse time wraps around")
  void wrapsAround() {
    one.put(hash(1), 250, 255);
    assertThat(one.take(hash(1), 260)).isEqualTo(10);
    one.put(hash(2), 1000, 1001);
    assertThat(one.take(hash(2), 1255)).isEqualTo(255);
    for (int i = 1; i <= BUCKET; i++) {
      one.put(hash(i), 248 + i, 260);
    }
    one.put(hash(50), 260, 260);
    assertThat(one.take(hash(1), 260)).as("the oldest, by age and not by number").isEqualTo(-1);
    assertThat(one.take(hash(2), 260)).isEqualTo(10);
  }

  @Test
  @DisplayName("Twelve bits of a hash tell ghosts apart; none of these patterns is an empty place")
  void fingerprints() {
    assertThat(one.take(hash(0), 5)).as("an empty place is no ghost").isEqualTo(-1);
    one.put(hash(0), 3, 5);
    assertThat(one.take(hash(0), 5)).isEqualTo(2);
    one.put(hash(0xfff), 3, 5);
    assertThat(one.take(hash(0x7ff), 5)).as("twelve bits count").isEqualTo(-1);
    assertThat(one.take(hash(0x1fff), 5)).as("a stranger with the same twelve").isEqualTo(2);
  }

  @Test
  @DisplayName("A table remembers nearly as many as it was made for")
  void capacity() {
    Random random = new Random(1);
    int size = 9000;
    GhostTable table = new GhostTable(size);
    long[] hashes = random.longs(size / 2).toArray();
    for (long hash : hashes) {
      table.put(hash, 7, 7);
    }
    int known = 0;
    for (long hash : hashes) {
      known += table.take(hash, 9) == 2 ? 1 : 0;
    }
    assertThat(known).isGreaterThan(size / 2 * 97 / 100);
    int strangers = 0;
    for (int i = 0; i < size / 2; i++) {
      strangers += table.take(random.nextLong(), 9) == -1 ? 0 : 1;
    }
    assertThat(strangers).isLessThan(100);
  }
}

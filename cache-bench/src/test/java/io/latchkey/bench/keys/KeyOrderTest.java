package io.latchkey.bench.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.bench.console.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyOrderTest {
  @Test
  @DisplayName("seq counts up")
  void seq() {
    assertThat(KeyOrder.of("seq").indexes(4)).containsExactly(0, 1, 2, 3);
    assertThat(KeyOrder.of("seq").eachOnce()).isTrue();
  }

  @Test
  @DisplayName("uniform has each once, in another order, the same every time")
  void uniform() {
    int[] indexes = KeyOrder.of("uniform").indexes(1000);
    assertThat(indexes).isNotEqualTo(KeyOrder.of("seq").indexes(1000));
    assertThat(indexes).isEqualTo(KeyOrder.of("uniform").indexes(1000));
    assertThat(Arrays.stream(indexes).sorted().toArray())
        .isEqualTo(KeyOrder.of("seq").indexes(1000));
  }

  @Test
  @DisplayName("zipf stays in range and comes back to some keys often")
  void zipf() {
    int[] indexes = KeyOrder.of("zipf:1.2").indexes(100);
    assertThat(indexes).hasSizeGreaterThan(100);
    assertThat(Arrays.stream(indexes).boxed()).allMatch(i -> i >= 0 && i < 100);
    long[] counts = new long[100];
    Arrays.stream(indexes).forEach(i -> counts[i]++);
    assertThat(Arrays.stream(counts).max().orElseThrow()).isGreaterThan(indexes.length / 10);
    assertThat(KeyOrder.of("zipf").eachOnce()).isFalse();
    assertThat(KeyOrder.of("zipf").id()).isEqualTo("zipf:0.99");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "random", "zipf:", "zipf:x", "zipf:-1", "zipf:NaN", "zipfy"})
  @DisplayName("refuses what is no order, by name")
  void refuses(String id) {
    assertThatThrownBy(() -> KeyOrder.of(id))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("'" + id + "'")
        .hasMessageContaining("zipf:");
  }

  @Test
  @DisplayName("trace:FILE has the reads of the trace, in any format that can be read")
  void trace(@TempDir Path directory) throws Exception {
    Path lirs = Files.writeString(directory.resolve("lirs"), "70\n80\n70\n");
    Path arc = Files.writeString(directory.resolve("arc"), "5 2 0 0\n6 1 0 1\n");
    KeyOrder first = KeyOrder.of("trace:" + lirs);
    assertThat(first.indexes(2)).containsExactly(0, 1, 0);
    assertThat(first.objects(99)).isEqualTo(2);
    assertThat(first.isTrace()).isTrue();
    assertThat(first.eachOnce()).isFalse();
    assertThat(KeyOrder.of("trace:arc:" + arc).indexes(2)).containsExactly(0, 1, 1);
    assertThat(KeyOrder.of("seq").objects(99)).isEqualTo(99);
  }

  @Test
  @DisplayName("collide has each once, too, and says that all keys share a hash")
  void collide() {
    assertThat(KeyOrder.of("collide").collides()).isTrue();
    assertThat(KeyOrder.of("seq").collides()).isFalse();
    assertThat(KeyOrder.of("collide").eachOnce()).isTrue();
    assertThat(KeyOrder.of("collide").indexes(100)).doesNotHaveDuplicates().hasSize(100);
  }
}

package io.latchkey.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

class HeapWalkTest {
  @Test
  @DisplayName("counts what JOL counts, each object once, circles included")
  void countsAll() {
    List<Object> root = new ArrayList<>();
    Object shared = new long[10];
    root.add(new Object[] {shared, shared, root});
    root.add(shared);
    HeapWalk walk = new HeapWalk(1);
    walk.walk(root);
    assertThat(walk.objects()).isEqualTo(GraphLayout.parseInstance(root).totalCount());
    assertThat(walk.bytes()).isEqualTo(GraphLayout.parseInstance(root).totalSize());
    assertThat(walk.objects()).isEqualTo(4);
  }

  @Test
  @DisplayName("leaves out what is excluded, and classes, threads and loaders")
  void leavesOut() {
    Object key = new Object();
    Object[] root = {key, Thread.currentThread(), String.class, getClass().getClassLoader()};
    HeapWalk walk = new HeapWalk(1);
    walk.exclude(new Object[] {key});
    walk.walk(root);
    assertThat(walk.objects()).isEqualTo(1);
  }

  @Test
  @DisplayName("finds many objects, past the size it was told")
  void grows() {
    Object[] root = new Object[10_000];
    for (int i = 0; i < root.length; i++) {
      root[i] = new Object();
    }
    HeapWalk walk = new HeapWalk(1);
    walk.walk(root);
    assertThat(walk.objects()).isEqualTo(10_001);
  }
}

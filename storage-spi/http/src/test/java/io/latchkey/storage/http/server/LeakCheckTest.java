package io.latchkey.storage.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** That the other tests would see a leak. */
class LeakCheckTest {
  @Test
  @DisplayName("A buffer that nobody releases is found")
  void findsLeaks() throws InterruptedException {
    leak();
    LeakCheck.collect();
    assertThat(LeakRecorder.LEAKS).isNotEmpty();
    LeakRecorder.LEAKS.clear();
  }

  private static void leak() {
    PooledByteBufAllocator.DEFAULT.buffer(64);
  }
}

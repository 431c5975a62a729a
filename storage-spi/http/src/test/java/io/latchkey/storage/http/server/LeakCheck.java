package io.latchkey.storage.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class that leaves buffers unreleased. */
final class LeakCheck implements AfterAllCallback {
  @Override
  public void afterAll(ExtensionContext context) {
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
    collect();
    assertThat(LeakRecorder.LEAKS).isEmpty();
  }

  /** Lets the collector find what nobody holds, and the detector look at that. */
  static void collect() {
    for (int i = 0; i < 3; i++) {
      WeakReference<Object> canary = new WeakReference<>(new Object());
      while (canary.get() != null) {
        System.gc();
      }
      PooledByteBufAllocator.DEFAULT.buffer().release();
      io.netty.buffer.ByteBufAllocator.DEFAULT.buffer().release();
    }
  }
}

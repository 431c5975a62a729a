package io.latchkey.storage.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class that leaves buffers unreleased. */
final class LeakCheck implements AfterAllCallback {
  @Override
  public void afterAll(ExtensionContext context) throws InterruptedException {
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
    collect();
    assertThat(LeakRecorder.LEAKS).isEmpty();
  }

  /**
   * Lets the collector find what nobody holds, and the detector look at that. What a collection
   * cleared is put into its queues later, by a thread of the JVM; a canary of a later collection
   * that is in its queue has all earlier ones before it.
   */
  static void collect() throws InterruptedException {
    ReferenceQueue<Object> queue = new ReferenceQueue<>();
    for (int i = 0; i < 3; i++) {
      WeakReference<Object> canary = new WeakReference<>(new Object(), queue);
      do {
        System.gc();
      } while (queue.remove(50) != canary);
      PooledByteBufAllocator.DEFAULT.buffer().release();
      io.netty.buffer.ByteBufAllocator.DEFAULT.buffer().release();
    }
  }
}

package io.latchkey.storage.http.server;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A body that is being received. It takes memory as bytes come, not as they are announced, and the
 * bodies of all connections together are bounded. What it counts there is given back when the
 * request has been worked on, or dropped. On the event loop, {@link #drop} on any thread.
 */
final class Upload {
  private static final int FIRST = 8 * 1024;

  final Exchange exchange;
  private final int limit;
  private final long total;
  private final AtomicLong budget;
  private final AtomicLong counted = new AtomicLong();
  private final Consumer<byte[]> then;
  private final long since = System.nanoTime();
  private byte[] bytes;
  private int length;

  /**
   * Begins to receive.
   *
   * @param announced the length that the client tells, or -1
   * @param budget counts the bytes of all bodies
   * @param then works on the body, and drops this
   */
  Upload(Exchange exchange, long announced, Limits limits, AtomicLong budget, Work then) {
    this.exchange = exchange;
    this.limit = limits.bodyBytes();
    this.total = limits.bodiesBytes();
    this.budget = budget;
    this.then = body -> then.on(this, body);
    this.bytes = new byte[(int) Math.min(announced < 0 ? FIRST : announced, FIRST)];
  }

  /** What is done with a body that is complete. */
  interface Work {
    void on(Upload upload, byte[] body);
  }

  /** Takes some bytes; returns what to refuse the request with if they are too many. */
  @Nullable FixedAnswer add(ByteBuf content) {
    int more = content.readableBytes();
    if (more > limit - length) {
      return Requests.tooLarge(limit);
    }
    counted.addAndGet(more);
    if (budget.addAndGet(more) > total) {
      return Failures.BUSY;
    }
    if (more > bytes.length - length) {
      long doubled = Math.min(limit, Math.max(2L * bytes.length, (long) length + more));
      bytes = Arrays.copyOf(bytes, (int) doubled);
    }
    content.readBytes(bytes, length, more);
    length += more;
    return null;
  }

  /** All bytes are there. */
  void finish() {
    then.accept(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
  }

  /** Whether the body comes too slowly. */
  boolean isLate(long now, Limits limits) {
    long allowed = limits.request() + length * 1_000_000_000L / Limits.BODY_RATE;
    return now - since > allowed;
  }

  /** Gives back what the body counts for. */
  void drop() {
    budget.addAndGet(-counted.getAndSet(0));
  }
}

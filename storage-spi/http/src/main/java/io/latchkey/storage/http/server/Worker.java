package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What the connections of one event loop share. Everything but {@link #wakeStreams} is for that
 * event loop only.
 *
 * <p>Instead of timers of their own, connections are looked at together a few times a second: that
 * costs some nanoseconds for each, and nothing for each request.
 */
final class Worker {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  final EventLoop loop;
  private final List<Connection> connections = new ArrayList<>();
  private final AtomicBoolean waking = new AtomicBoolean();
  private boolean draining;

  /** Status line, date and {@link #fields} by status, for the second {@link #dated}. */
  private @Nullable ByteBuf[] prefixes = new ByteBuf[600];

  private long dated;

  /** Header fields of every response. */
  private final String fields;

  Worker(EventLoop loop, long sweepNanos, String fields) {
    this.loop = loop;
    this.fields = fields;
    loop.scheduleWithFixedDelay(this::sweep, sweepNanos, sweepNanos, TimeUnit.NANOSECONDS);
  }

  void add(Connection connection) {
    connection.place(connections.size());
    connections.add(connection);
    if (draining) {
      connection.drain();
    }
  }

  void remove(Connection connection, int place) {
    Connection moved = connections.remove(connections.size() - 1);
    if (moved != connection) {
      connections.set(place, moved);
      moved.place(place);
    }
  }

  private void sweep() {
    long now = System.nanoTime();
    // Backwards, because a connection that ends puts the last one in its place.
    for (int i = connections.size() - 1; i >= 0; i--) {
      if (i < connections.size()) {
        connections.get(i).sweep(now);
      }
    }
  }

  /** Answers what was asked and ends all connections. */
  void drain() {
    draining = true;
    for (int i = connections.size() - 1; i >= 0; i--) {
      if (i < connections.size()) {
        connections.get(i).drain();
      }
    }
  }

  /** Ends all connections at once. */
  void abort() {
    for (Connection connection : List.copyOf(connections)) {
      connection.abort();
    }
  }

  /** Lets the readers of the feed look for new events; from any thread, costs one task at most. */
  void wakeStreams() {
    if (waking.compareAndSet(false, true)) {
      execute(
          () -> {
            waking.set(false);
            for (int i = connections.size() - 1; i >= 0; i--) {
              if (i < connections.size()) {
                connections.get(i).wakeStream();
              }
            }
          });
    }
  }

  /** Runs a task on the event loop; after its end nobody is left who wants it. */
  void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException ended) {
      // The server was closed and its connections with it.
    }
  }

  /** What every response of a status begins with, as a view with indexes of its own. */
  ByteBuf prefix(int status) {
    long second = System.currentTimeMillis() / 1000;
    if (second != dated) {
      prefixes = new ByteBuf[600];
      dated = second;
    }
    ByteBuf prefix = prefixes[status];
    if (prefix == null) {
      prefix = makePrefix(status, second);
      prefixes[status] = prefix;
    }
    return prefix.duplicate();
  }

  private ByteBuf makePrefix(int status, long second) {
    return constant(
        "HTTP/1.1 "
            + HttpResponseStatus.valueOf(status)
            + "\r\ndate: "
            + DATE.format(Instant.ofEpochSecond(second))
            + "\r\n"
            + fields);
  }

  /** A direct buffer that is never released by hand. */
  static ByteBuf constant(String text) {
    byte[] bytes = text.getBytes(ISO_8859_1);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length);
    direct.put(bytes).flip();
    return Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(direct));
  }
}

package io.latchkey.bench.http;

import io.latchkey.bench.console.FailedRunException;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Asks a server from one thread over many connections.
 *
 * <p>{@link #asFastAsPossible} keeps a number of requests under way on each connection, and sends
 * the next ones when all of these are answered. {@link #atRate} sends each request when its time
 * has come, whether earlier ones are answered or not, and measures from that time: a server that
 * stalls delays what should have been sent meanwhile, and that counts. So there is no coordinated
 * omission to correct.
 */
final class LoadGenerator implements AutoCloseable {
  private final Selector selector;
  private final List<LoadClient> clients = new ArrayList<>();
  private long number;

  LoadGenerator(int port, Target target, int connections, int depth) {
    try {
      selector = Selector.open();
      for (int i = 0; i < connections; i++) {
        LoadClient client = new LoadClient(port, target, depth);
        clients.add(client);
        client.channel.register(selector, SelectionKey.OP_READ, new Line(client));
      }
    } catch (IOException e) {
      throw new FailedRunException("connecting to the server", e);
    }
  }

  /** A connection and the requests under way on it, each by the time when it was due. */
  private static final class Line {
    final LoadClient client;
    final ArrayDeque<Long> due = new ArrayDeque<>();
    int underWay;

    Line(LoadClient client) {
      this.client = client;
    }
  }

  /** Returns the responses per second. */
  double asFastAsPossible(int depth, double seconds) {
    try {
      List<Line> lines = lines();
      for (Line line : lines) {
        send(line, depth);
      }
      long start = System.nanoTime();
      long end = start + (long) (seconds * 1e9);
      long responses = 0;
      long now = start;
      while (now < end) {
        selector.select(100);
        for (SelectionKey key : selector.selectedKeys()) {
          Line line = (Line) key.attachment();
          int complete = line.client.receive();
          responses += complete;
          line.underWay -= complete;
          if (line.underWay == 0) {
            send(line, depth);
          }
        }
        selector.selectedKeys().clear();
        now = System.nanoTime();
      }
      drain(lines);
      return responses * 1e9 / (now - start);
    } catch (IOException e) {
      throw new FailedRunException("asking the server", e);
    }
  }

  private void send(Line line, int depth) throws IOException {
    line.client.send(number, depth);
    number += depth;
    line.underWay = depth;
  }

  private List<Line> lines() {
    return selector.keys().stream().map(key -> (Line) key.attachment()).toList();
  }

  private void drain(List<Line> lines) throws IOException {
    long patience = System.nanoTime() + 10_000_000_000L;
    while (lines.stream().anyMatch(line -> line.underWay > 0)) {
      if (System.nanoTime() > patience) {
        throw new FailedRunException("the server left requests unanswered");
      }
      selector.select(100);
      for (SelectionKey key : selector.selectedKeys()) {
        Line line = (Line) key.attachment();
        line.underWay -= line.client.receive();
      }
      selector.selectedKeys().clear();
    }
  }

  /** Returns the times from when requests were due to their responses, in nanoseconds. */
  Histogram atRate(double rate, double seconds) {
    Histogram times = new Histogram(60_000_000_000L, 3);
    List<Line> lines = lines();
    double gap = 1e9 / rate;
    long total = (long) (rate * seconds);
    long start = System.nanoTime();
    long sent = 0;
    long answered = 0;
    try {
      while (answered < total) {
        long now = System.nanoTime();
        while (sent < total && start + (long) (sent * gap) <= now) {
          Line line = lines.get((int) (sent % lines.size()));
          line.due.add(start + (long) (sent * gap));
          line.client.send(number++, 1);
          sent++;
        }
        // The one who waits for a time to come cannot sleep until then: wake-ups are too coarse.
        selector.selectNow();
        for (SelectionKey key : selector.selectedKeys()) {
          Line line = (Line) key.attachment();
          int complete = line.client.receive();
          long received = System.nanoTime();
          for (int i = 0; i < complete; i++) {
            times.recordValue(Math.min(received - line.due.remove(), 60_000_000_000L));
          }
          answered += complete;
        }
        selector.selectedKeys().clear();
        if (System.nanoTime() - start > (long) ((seconds + 20) * 1e9)) {
          throw new FailedRunException("the server cannot keep up with " + rate + " a second");
        }
      }
      return times;
    } catch (IOException e) {
      throw new FailedRunException("asking the server", e);
    }
  }

  @Override
  public void close() {
    try {
      for (LoadClient client : clients) {
        client.close();
      }
      selector.close();
    } catch (IOException e) {
      throw new FailedRunException("closing connections", e);
    }
  }
}

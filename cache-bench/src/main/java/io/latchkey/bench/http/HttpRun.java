package io.latchkey.bench.http;

import io.latchkey.bench.console.Progress;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Measures servers, each round all of them in turn, each in a fresh JVM.
 *
 * @param servers the servers
 * @param targets what is asked for
 * @param connections of the load generator
 * @param depth requests under way on each of them
 * @param rate requests a second of the round trips; 0 for none
 * @param seconds that count, after as many that do not
 * @param rounds how often
 */
public record HttpRun(
    List<ServerOptions> servers,
    List<Target> targets,
    int connections,
    int depth,
    double rate,
    double seconds,
    int rounds) {
  /** How many JVMs there will be. */
  public int jvms() {
    return rounds * servers.size();
  }

  /** Measures. */
  public List<HttpResult> run(Progress progress) {
    List<HttpResult> results = new ArrayList<>();
    for (ServerOptions server : servers) {
      for (Target target : targets) {
        results.add(new HttpResult(server, target));
      }
    }
    int done = 0;
    for (int round = 0; round < rounds; round++) {
      int index = 0;
      for (ServerOptions options : servers) {
        try (ServedProcess server = ServedProcess.start(options)) {
          for (Target target : targets) {
            measure(server, target, results.get(index++));
          }
        }
        progress.stepTo(++done);
      }
    }
    return results;
  }

  private void measure(ServedProcess server, Target target, HttpResult result) {
    try (LoadGenerator load = new LoadGenerator(server.port(), target, connections, depth)) {
      load.asFastAsPossible(depth, seconds);
      long cpu = server.cpuNanos();
      long start = System.nanoTime();
      double perSecond = load.asFastAsPossible(depth, seconds);
      double busy = (server.cpuNanos() - cpu) / (double) (System.nanoTime() - start);
      result.throughput(perSecond, busy);
      if (rate > 0) {
        load.atRate(rate, seconds);
        Histogram times = load.atRate(rate, seconds);
        result.roundTrips(times);
      }
    }
  }

  /** Measures the two ways of writing what another thread has loaded; one round trip at a time. */
  public List<HandOffResult> handOffs() {
    List<HandOffResult> results = new ArrayList<>();
    HandOffServer.WAYS.forEach(way -> results.add(new HandOffResult(way)));
    for (int round = 0; round < rounds; round++) {
      for (HandOffResult result : results) {
        try (ServedProcess server = HandOffServer.start(result.way());
            LoadGenerator load = new LoadGenerator(server.port(), Target.HIT, connections, 1)) {
          load.asFastAsPossible(1, seconds);
          long cpu = server.cpuNanos();
          double perSecond = load.asFastAsPossible(1, seconds);
          result.add(perSecond, (server.cpuNanos() - cpu) / (perSecond * seconds));
        }
      }
    }
    return results;
  }
}

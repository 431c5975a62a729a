package io.latchkey.bench.pool;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.forks.FreshJvm;
import java.util.concurrent.TimeUnit;

/** Measures one executor in a JVM of its own. */
public final class PoolProbe {
  private PoolProbe() {}

  /**
   * Takes the executor, its workers, the milliseconds for each cell, and the cells: task,
   * submitters and tasks in flight, separated by colons.
   */
  public static void main(String[] args) throws InterruptedException {
    Contestant contestant = Contestant.of(args[0]);
    int workers = Integer.parseInt(args[1]);
    long nanos = TimeUnit.MILLISECONDS.toNanos(Integer.parseInt(args[2]));
    JsonArray results = new JsonArray();
    for (int i = 3; i < args.length; i++) {
      PoolCell cell = PoolCell.parse(args[i]);
      try (Contestant.Open open = contestant.open(workers)) {
        PoolDrill drill =
            new PoolDrill(open.executor(), cell.task(), cell.submitters(), cell.inFlight());
        if (i == 3) {
          drill.run(nanos); // the first one compiles for all
        }
        drill.run(nanos / 2);
        drill.run(nanos);
        JsonObject json = new JsonObject();
        json.addProperty("nanosPerTask", drill.nanosPerTask());
        if (!Double.isNaN(drill.bytesPerTask())) {
          json.addProperty("bytesPerTask", drill.bytesPerTask());
        }
        results.add(json);
      }
    }
    JsonObject answer = new JsonObject();
    answer.add("results", results);
    FreshJvm.answer(answer);
  }
}

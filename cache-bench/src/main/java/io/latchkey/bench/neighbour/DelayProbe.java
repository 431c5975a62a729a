package io.latchkey.bench.neighbour;

import com.google.gson.JsonObject;
import io.latchkey.bench.forks.FreshJvm;
import io.latchkey.bench.peers.Implementation;
import java.time.Duration;

/** Times all work on one cache in a JVM of its own. */
public final class DelayProbe {
  private DelayProbe() {}

  /** Takes the implementation and the milliseconds of the slow load. */
  public static void main(String[] args) {
    Implementation implementation = Implementation.of(args[0]);
    Duration load = Duration.ofMillis(Long.parseLong(args[1]));
    JsonObject answer = new JsonObject();
    for (Work work : Work.values()) {
      Delay.Outcome outcome = Delay.measure(implementation, work, load);
      JsonObject json = new JsonObject();
      json.addProperty("nanos", outcome.nanos());
      json.addProperty("loadOver", outcome.loadOver());
      answer.add(work.id(), json);
    }
    FreshJvm.answer(answer);
  }
}

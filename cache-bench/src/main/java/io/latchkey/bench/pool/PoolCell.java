package io.latchkey.bench.pool;

/**
 * How tasks are submitted.
 *
 * @param task what they do
 * @param submitters threads that submit them
 * @param inFlight tasks of each submitter that may be under way at once
 */
public record PoolCell(TaskKind task, int submitters, int inFlight) {
  static PoolCell parse(String text) {
    String[] parts = text.split(":", 3);
    return new PoolCell(
        TaskKind.of(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
  }

  String text() {
    return task.id() + ":" + submitters + ":" + inFlight;
  }
}

package io.latchkey.bench.console;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** Progress for logs and pipes: a line at the start, one now and then, one at the end. */
final class LineProgress implements Progress {
  private static final long NANOS_BETWEEN_LINES = TimeUnit.SECONDS.toNanos(5);

  private final PrintWriter lines;
  private final String task;
  private final String unit;
  private final long unitSize;
  private final long total;
  private final long start = System.nanoTime();
  private long lastLine = start;
  private long done;

  LineProgress(PrintWriter lines, String task, String unit, long unitSize, long total) {
    this.lines = lines;
    this.task = task;
    this.unit = unit;
    this.unitSize = unitSize;
    this.total = total;
    print(task + ": " + amount(total) + " to do");
  }

  @Override
  public void stepTo(long done) {
    this.done = Math.min(done, total);
    long now = System.nanoTime();
    if (now - lastLine >= NANOS_BETWEEN_LINES && this.done > 0 && this.done < total) {
      lastLine = now;
      double left = (double) (now - start) / this.done * (total - this.done);
      print(
          task
              + ": "
              + Figures.count(this.done / unitSize)
              + " of "
              + amount(total)
              + ", about "
              + Figures.duration((long) left)
              + " left");
    }
  }

  @Override
  public void close() {
    print(task + ": " + amount(done) + " in " + Figures.duration(System.nanoTime() - start));
  }

  private String amount(long units) {
    return Figures.count(units / unitSize) + " " + unit;
  }

  private void print(String line) {
    lines.println(line);
    lines.flush();
  }
}

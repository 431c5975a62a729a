package io.latchkey.bench.console;

import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar with an estimate of the time left, redrawn in place on a terminal. */
final class BarProgress implements Progress {
  private static final int WIDTH = 79;
  private static final int REDRAW_MILLIS = 200;

  private final ProgressBar bar;

  BarProgress(PrintStream terminal, String task, String unit, long unitSize, long total) {
    bar =
        new ProgressBarBuilder()
            .setTaskName(task)
            .setUnit(" " + unit, unitSize)
            .setInitialMax(total)
            .setStyle(style())
            .setUpdateIntervalMillis(REDRAW_MILLIS)
            .setConsumer(new ConsoleProgressBarConsumer(terminal, WIDTH))
            .build();
  }

  private static ProgressBarStyle style() {
    return Charset.defaultCharset().equals(StandardCharsets.UTF_8)
        ? ProgressBarStyle.UNICODE_BLOCK
        : ProgressBarStyle.ASCII;
  }

  @Override
  public void stepTo(long done) {
    bar.stepTo(Math.min(done, bar.getMax()));
  }

  @Override
  public void close() {
    bar.close();
  }
}

package io.latchkey.bench.console;

import java.io.Console;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/** Where a command writes: results to one stream, progress and complaints to the other. */
public final class Screen {
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;

  private Screen(PrintWriter out, PrintWriter err, boolean terminal) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /** The process's own streams; progress is a bar if a person watches, lines otherwise. */
  public static Screen ofProcess() {
    return new Screen(
        new PrintWriter(System.out, true, Charset.defaultCharset()),
        new PrintWriter(System.err, true, Charset.defaultCharset()),
        isTerminal());
  }

  /** Any streams; progress is written as lines. */
  public static Screen of(PrintWriter out, PrintWriter err) {
    return new Screen(out, err, false);
  }

  /** For results. */
  public PrintWriter out() {
    return out;
  }

  /** For progress and complaints. */
  public PrintWriter err() {
    return err;
  }

  /** Writes a table to the results. */
  public void print(Table table) {
    table.lines().forEach(out::println);
    out.flush();
  }

  /** Starts to show a job of so many units. */
  public Progress progress(String task, String unit, long total) {
    return progress(task, unit, 1, total);
  }

  /** Starts to show a job of so many steps; {@code unitSize} steps are shown as one unit. */
  public Progress progress(String task, String unit, long unitSize, long total) {
    return terminal
        ? new BarProgress(System.err, task, unit, unitSize, total)
        : new LineProgress(err, task, unit, unitSize, total);
  }

  @SuppressWarnings("SystemConsoleNull") // asked for below
  private static boolean isTerminal() {
    Console console = System.console();
    return console != null && isTerminal(console) && !"dumb".equals(System.getenv("TERM"));
  }

  /**
   * From JDK 22 on a console is there even without a terminal, and tells so by a method that JDK 17
   * does not have.
   */
  private static boolean isTerminal(Console console) {
    try {
      @Nullable Object answer = Console.class.getMethod("isTerminal").invoke(console);
      return Boolean.TRUE.equals(answer);
    } catch (NoSuchMethodException olderJdk) {
      return true;
    } catch (IllegalAccessException | InvocationTargetException e) {
      return false;
    }
  }
}

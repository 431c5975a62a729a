package io.latchkey.bench;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.report.Report;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code report}: results as a page. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Draws files of results, which the other commands write with --json, as one HTML page: charts,"
          + " tables, the machine and the exact command. The page needs no network and no script.",
      "",
    },
    footer = {
      "",
      "Takes files of run, ratio, expiry, replay, memory, flight, backend and neighbour, and JMH's"
          + " own. Several runs, as with other numbers of threads, are also drawn together.",
      "",
      "Example: latchkey-bench report run.json replay.json -o report.html",
    })
final class ReportCommand implements Callable<Integer> {
  private final Screen screen;

  @Parameters(arity = "1..*", paramLabel = "RUN.json", description = "Files of results.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      defaultValue = "report.html",
      description = "Where to write the page (${DEFAULT-VALUE}).")
  private Path output = Path.of("report.html");

  @Option(
      names = "--title",
      paramLabel = "TEXT",
      defaultValue = "Latchkey benchmarks",
      description = "The title of the page (${DEFAULT-VALUE}).")
  private String title = "";

  ReportCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    for (Path file : files) {
      if (file.toAbsolutePath().normalize().equals(output.toAbsolutePath().normalize())) {
        throw new BadInputException("--output " + output + " is one of the files of results");
      }
    }
    OutputFile page = OutputFile.of("--output", output);
    Report report = new Report(title);
    report.add(files);
    try (Progress progress = screen.progress("drawing", "sections", report.size())) {
      page.write(report.html(progress));
    }
    screen.out().println("  report   " + output);
    screen.out().flush();
    return 0;
  }
}

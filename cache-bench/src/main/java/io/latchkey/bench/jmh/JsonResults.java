package io.latchkey.bench.jmh;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;

/** Writes results as JMH's own JSON, which its tools and viewers read. */
public final class JsonResults {
  private JsonResults() {}

  /**
   * Finds out early whether the file can be written, before hours of measuring.
   *
   * @throws BadInputException if it cannot
   */
  public static void check(Path file) {
    Path directory = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      throw new BadInputException("--json " + file + " is a directory: name a file");
    }
    if (directory == null || !Files.isDirectory(directory)) {
      throw new BadInputException("--json " + file + ": there is no directory " + directory);
    }
    if (!Files.isWritable(Files.exists(file) ? file : directory)) {
      throw new BadInputException("--json " + file + " cannot be written: check its permissions");
    }
  }

  /** Writes all results, replacing what was in the file. */
  public static void write(List<CellResult> results, Path file) {
    try (PrintStream out =
        new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8)) {
      ResultFormatFactory.getInstance(ResultFormatType.JSON, out)
          .writeOut(results.stream().map(CellResult::merged).toList());
      if (out.checkError()) {
        throw new FailedRunException("--json " + file + " could not be written: is the disk full?");
      }
    } catch (IOException e) {
      throw new FailedRunException("writing --json " + file, e);
    }
  }
}

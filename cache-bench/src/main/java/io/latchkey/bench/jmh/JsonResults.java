package io.latchkey.bench.jmh;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;

/** Results as JMH's own JSON, which its tools and viewers read. */
public final class JsonResults {
  private JsonResults() {}

  /** All results, as the text of a file. */
  public static String text(List<CellResult> results) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    ResultFormatFactory.getInstance(ResultFormatType.JSON, out)
        .writeOut(results.stream().map(CellResult::merged).toList());
    out.flush();
    return bytes.toString(StandardCharsets.UTF_8);
  }
}

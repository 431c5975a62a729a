package io.latchkey.bench.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.bench.console.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CsvTraceTest {
  private static final String WITH_HEADER = "time,key,size\n1,a,10\n2,\"b,\"\"c\"\"\",10\n3,a,11\n";

  @TempDir Path directory;

  @Test
  @DisplayName("without a column the first is the key; blank lines and CRLF count for nothing")
  void first() throws IOException {
    assertThat(keys("x,1\r\n\r\ny,2\r\nx,3\r\n", CsvColumn.FIRST)).containsExactly(0, 1, 0);
  }

  @Test
  @DisplayName("a column by number: each line is a record")
  void byNumber() throws IOException {
    assertThat(keys(WITH_HEADER, CsvColumn.of("2"))).containsExactly(0, 1, 2, 1);
  }

  @Test
  @DisplayName("a column by name: the first line is a header; fields may be quoted")
  void byName() throws IOException {
    assertThat(keys(WITH_HEADER, CsvColumn.of("key"))).containsExactly(0, 1, 0);
  }

  @Test
  @DisplayName("a name that is not in the header is told with those that are")
  void noSuchName() {
    assertBad(WITH_HEADER, "id", "record 1:", "no column 'id' in the header (time, key, size)");
  }

  @Test
  @DisplayName("a line without the column is told by record and line")
  void tooFewColumns() {
    assertBad("a,1\nb,2\n\nc\n", "2", "record 3:", "only 1 columns in line 4");
  }

  @Test
  @DisplayName("an empty key is told by record and line")
  void emptyKey() {
    assertBad("a,1\n,2\n", "1", "record 2:", "an empty key in line 2");
  }

  @Test
  @DisplayName("a header alone has no record")
  void headerAlone() {
    assertBad("time,key\n", "key", "no record");
  }

  @ParameterizedTest
  @CsvSource({"0", "10001", "99999999999"})
  @DisplayName("column numbers go from 1 to 10,000")
  void badNumber(String column) {
    assertThatThrownBy(() -> CsvColumn.of(column))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("--column must be from 1 to 10000, not " + column);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " "})
  @DisplayName("an empty column is refused")
  void emptyColumn(String column) {
    assertThatThrownBy(() -> CsvColumn.of(column))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("--column is empty");
  }

  private void assertBad(String csv, String column, String... parts) {
    assertThatThrownBy(() -> keys(csv, CsvColumn.of(column)))
        .isInstanceOf(BadInputException.class)
        .hasMessageContainingAll(parts);
  }

  private int[] keys(String csv, CsvColumn column) throws IOException {
    Path file = Files.writeString(directory.resolve("t.csv"), csv);
    Trace trace = TraceFile.read(file, TraceFormat.CSV, column);
    return IntStream.range(0, trace.length()).map(trace::key).toArray();
  }
}

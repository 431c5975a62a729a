package io.latchkey.bench.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.bench.console.BadInputException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class TraceFileTest {
  @TempDir Path directory;

  @Test
  @DisplayName("lirs: CRLF, blank lines and lines with * are no records")
  void lirs() throws IOException {
    Path file = text("t", "7\r\n\r\n* a comment\r\n9\n7\n");
    assertThat(keys(TraceFile.read(file, TraceFormat.LIRS))).containsExactly(0, 1, 0);
  }

  @Test
  @DisplayName("objects keep the keys of the file, which policies count by hash")
  void objects() throws IOException {
    Trace trace = TraceFile.read(text("t", "7\n900\n7\n"), TraceFormat.LIRS);
    assertThat(trace.object(trace.key(0))).isEqualTo(7L);
    assertThat(trace.object(trace.key(1))).isEqualTo(900L);
  }

  @Test
  @DisplayName("adaptsize: the id is the key")
  void adaptsize() throws IOException {
    Path file = text("t", "1 5 68\n2 6 68\n3 5 999999\n");
    assertThat(keys(TraceFile.read(file, TraceFormat.ADAPTSIZE))).containsExactly(0, 1, 0);
  }

  @Test
  @DisplayName("address: the address is the key, for loads and stores")
  void address() throws IOException {
    Path file = text("t", "s 0xffffffffffffff50 1\nl 0x1fffff58 1\nl 0xffffffffffffff50 6\n");
    assertThat(keys(TraceFile.read(file, TraceFormat.ADDRESS))).containsExactly(0, 1, 0);
  }

  @Test
  @DisplayName("cache2k: four bytes are a key, over many blocks")
  void cache2k() throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(40_000 * Integer.BYTES);
    IntStream.range(0, 40_000).forEach(i -> bytes.putInt(i % 2 == 0 ? -1 : i));
    Trace trace = TraceFile.read(file("t", bytes.array()), TraceFormat.CACHE2K);
    assertThat(trace.length()).isEqualTo(40_000);
    assertThat(trace.objects()).isEqualTo(20_001);
    assertThat(trace.key(39_998)).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"CORDA", "SCARAB"})
  @DisplayName("corda, scarab: eight bytes are a key; keys that differ in the upper half differ")
  void longs(TraceFormat format) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(4 * Long.BYTES);
    bytes.putLong(1L << 40).putLong(0).putLong(1L << 41).putLong(1L << 40);
    assertThat(keys(TraceFile.read(file("t", bytes.array()), format))).containsExactly(0, 1, 2, 0);
  }

  @Test
  @DisplayName("corda: bytes left over at the end are told")
  void leftOverOfLongs() throws IOException {
    assertThatThrownBy(() -> TraceFile.read(file("t", new byte[20]), TraceFormat.CORDA))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("record 3: expected a key of 8 bytes (corda), found only 4");
  }

  @Test
  @DisplayName("arc: a request reads so many blocks, and is one record")
  void arc() throws IOException {
    Path file = text("t", "10 3 0 0\n12 1 0 1\n");
    assertThat(keys(TraceFile.read(file, TraceFormat.ARC))).containsExactly(0, 1, 2, 2);
    Path bad = text("bad", "10 3 0 0\n12 1 0 1\n12 1 0\n");
    assertThatThrownBy(() -> TraceFile.read(bad, TraceFormat.ARC))
        .hasMessageContaining("record 3: expected four decimal numbers")
        .hasMessageContaining("'12 1 0' in line 3");
  }

  @ParameterizedTest
  @CsvSource({"1 0 0 0", "1 2000000 0 0", "9223372036854775807 5 0 0", "1 -1 0 0", "1 1 x 0"})
  @DisplayName("arc: a request of no block, of millions, or past the end is refused")
  void badArc(String request) throws IOException {
    Path file = text("t", request + "\n");
    assertThatThrownBy(() -> TraceFile.read(file, TraceFormat.ARC))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("record 1:")
        .hasMessageContaining("'" + request + "'");
  }

  @ParameterizedTest
  @CsvSource({"t.gz", "t.xz"})
  @DisplayName("compressed files are read by their extension")
  void compressed(String name) throws IOException {
    Path file = file(name, compress(name, "3\n4\n3\n"));
    assertThat(keys(TraceFile.read(file, TraceFormat.LIRS))).containsExactly(0, 1, 0);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "lirs, 'x', a decimal block number",
    "lirs, '-4', a decimal block number",
    "lirs, '+4', a decimal block number",
    "lirs, '99999999999999999999', a decimal block number",
    "lirs, '1 2', a decimal block number",
    "adaptsize, '1 2', time id bytes",
    "adaptsize, '1 2 x', time id bytes",
    "address, 'm 0x10 1', an address like 0x",
    "address, 's 10 1', an address like 0x",
    "address, 's 0xzz 1', an address like 0x",
  })
  @DisplayName("a bad record is told by its number, what was expected and what was found")
  void badRecord(String format, String record, String expected) throws IOException {
    String good =
        switch (format) {
          case "lirs" -> "1\n* two\n";
          case "adaptsize" -> "1 1 1\n\n";
          default -> "l 0x1 1\n\n";
        };
    Path file = text("t", good + record + "\n");
    assertThatThrownBy(() -> TraceFile.read(file, TraceFormat.of(format)))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("record 2:")
        .hasMessageContaining(expected)
        .hasMessageContaining("'" + record + "' in line 3");
  }

  @Test
  @DisplayName("a binary file read as text shows no bytes that a terminal would obey")
  void binaryAsText() throws IOException {
    Path file = file("t", new byte[] {27, '[', '2', 'J', 0, (byte) 0xff});
    assertThatThrownBy(() -> TraceFile.read(file, TraceFormat.LIRS))
        .hasMessageContaining("'?[2J??'");
  }

  @Test
  @DisplayName("cache2k: bytes left over at the end are told")
  void leftOver() throws IOException {
    Path file = file("t", new byte[10]);
    assertThatThrownBy(() -> TraceFile.read(file, TraceFormat.CACHE2K))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("record 3:")
        .hasMessageContaining("a key of 4 bytes")
        .hasMessageContaining("only 2");
  }

  @ParameterizedTest
  @CsvSource({"t.gz", "t.xz"})
  @DisplayName("a compressed file that was cut short is told so, with the number of the record")
  void truncated(String name) throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    StringBuilder lines = new StringBuilder();
    random.ints(50_000, 0, 1_000_000).forEach(key -> lines.append(key).append('\n'));
    byte[] whole = compress(name, lines.toString());
    Path file = file(name, Arrays.copyOf(whole, whole.length / 2));
    assertThatThrownBy(() -> TraceFile.read(file, TraceFormat.LIRS))
        .isInstanceOf(BadInputException.class)
        .hasMessageMatching("(?s).*record \\d{4,5}: expected a decimal block number.*")
        .hasMessageContaining("cut short");
  }

  @ParameterizedTest
  @CsvSource({"t.gz", "t.xz"})
  @DisplayName("a file that is not compressed as its name says is told so")
  void notCompressed(String name) throws IOException {
    Path file = text(name, "1\n2\n3\n and so on, for longer than a header\n");
    assertThatThrownBy(() -> TraceFile.read(file, TraceFormat.LIRS))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("record 1:")
        .hasMessageContaining("corrupt");
  }

  @ParameterizedTest
  @EnumSource(TraceFormat.class)
  @DisplayName("an empty trace is refused")
  void empty(TraceFormat format) throws IOException {
    Path file = text("t", "");
    assertThatThrownBy(() -> TraceFile.read(file, format))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("no record");
  }

  @Test
  @DisplayName("a missing file, a directory and an unknown format are refused by name")
  void unusable() {
    Path missing = directory.resolve("missing.gz");
    assertThatThrownBy(() -> TraceFile.read(missing, TraceFormat.LIRS))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(missing + " does not exist");
    assertThatThrownBy(() -> TraceFile.read(directory, TraceFormat.LIRS))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(directory + " is a directory");
    assertThatThrownBy(() -> TraceFormat.of("arcane"))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("'arcane'")
        .hasMessageContaining("lirs, adaptsize, address, cache2k");
  }

  private static int[] keys(Trace trace) {
    return IntStream.range(0, trace.length()).map(trace::key).toArray();
  }

  private Path text(String name, String text) throws IOException {
    return file(name, text.getBytes(StandardCharsets.UTF_8));
  }

  private Path file(String name, byte[] bytes) throws IOException {
    return Files.write(directory.resolve(name), bytes);
  }

  private static byte[] compress(String name, String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out =
        name.endsWith(".gz")
            ? new GZIPOutputStream(bytes)
            : new XZOutputStream(bytes, new LZMA2Options())) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }
}

package io.latchkey.bench.keys;

import io.latchkey.bench.console.BadInputException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The trace formats that can be read, by the name they have on the command line. */
public enum TraceFormat {
  /** A decimal block number a line; blank lines and lines with {@code *} are skipped. */
  LIRS("a decimal block number") {
    @Override
    void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException {
      TextRecords.read(in, trace, TextRecords::lirs);
    }
  },
  /** {@code time id bytes}, decimal; the id is the key. */
  ADAPTSIZE("three decimal numbers, 'time id bytes'") {
    @Override
    void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException {
      TextRecords.read(in, trace, TextRecords::adaptsize);
    }
  },
  /** {@code s|l 0xHEX n}: a store or a load; the address is the key. */
  ADDRESS("'s' or 'l', an address like 0x1fffff50, and a number") {
    @Override
    void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException {
      TextRecords.read(in, trace, TextRecords::address);
    }
  },
  /** Binary: a key is a big-endian integer of four bytes. */
  CACHE2K("a key of 4 bytes") {
    @Override
    void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException {
      BinaryRecords.readInts(in, trace);
    }
  },
  /** {@code start count ignored number}, decimal: a request of {@code count} blocks. */
  ARC("four decimal numbers, 'start count ignored number'") {
    @Override
    void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException {
      TextRecords.read(in, trace, TextRecords::arc);
    }
  },
  /** Binary: a key is a big-endian integer of eight bytes. */
  CORDA("a key of 8 bytes") {
    @Override
    void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException {
      BinaryRecords.readLongs(in, trace);
    }
  },
  /** Binary, as {@link #CORDA}. */
  SCARAB("a key of 8 bytes") {
    @Override
    void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException {
      BinaryRecords.readLongs(in, trace);
    }
  },
  /** Comma-separated values in UTF-8; the text in one column is the key. */
  CSV("a line of comma-separated values that has the key's column") {
    @Override
    void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException {
      CsvRecords.read(in, trace, column);
    }
  };

  private final String record;

  TraceFormat(String record) {
    this.record = record;
  }

  /** The name on the command line. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What a record of this format looks like, for messages. */
  String record() {
    return record;
  }

  /**
   * Adds all keys of a trace, in order.
   *
   * @throws BadRecordException at the first record that is none of this format
   */
  abstract void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException;

  /** The format of that name. */
  public static TraceFormat of(String id) {
    return Arrays.stream(values())
        .filter(format -> format.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInputException("unknown trace format '" + id + "': use one of " + names()));
  }

  /** All names, separated by commas. */
  public static String names() {
    return Arrays.stream(values()).map(TraceFormat::id).collect(Collectors.joining(", "));
  }
}

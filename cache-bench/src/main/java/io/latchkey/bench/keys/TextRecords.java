package io.latchkey.bench.keys;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Traces with a record a line; lines end with LF or CRLF, blank ones count for nothing. */
final class TextRecords {
  private static final Pattern SPACE = Pattern.compile("[ \t]+");
  private static final int SHOWN = 40;

  /** Far more than a request reads at once: a larger count is a mistake that would fill memory. */
  private static final int MAX_BLOCKS = 1 << 20;

  private TextRecords() {}

  /** Adds the record of a line; throws {@link NumberFormatException} if it is none. */
  interface Line {
    void read(String line, Trace.Builder trace);
  }

  static void read(InputStream in, Trace.Builder trace, Line format) throws IOException {
    // Latin-1 decodes any byte, so that a binary file is refused by its record, not by its bytes.
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1));
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      if (line.isBlank()) {
        continue;
      }
      try {
        format.read(line, trace);
      } catch (NumberFormatException e) {
        throw new BadRecordException("'" + shown(line) + "' in line " + number);
      }
    }
  }

  static void lirs(String line, Trace.Builder trace) {
    if (line.indexOf('*') < 0) {
      trace.add(decimal(line.strip()));
    }
  }

  static void adaptsize(String line, Trace.Builder trace) {
    String[] fields = fields(line, 3);
    decimal(fields[0]);
    decimal(fields[2]);
    trace.add(decimal(fields[1]));
  }

  static void address(String line, Trace.Builder trace) {
    String[] fields = fields(line, 3);
    String address = fields[1];
    if (!(fields[0].equals("s") || fields[0].equals("l")) || !address.startsWith("0x")) {
      throw new NumberFormatException();
    }
    decimal(fields[2]);
    trace.add(Long.parseUnsignedLong(address, 2, address.length(), 16));
  }

  static void arc(String line, Trace.Builder trace) {
    String[] fields = fields(line, 4);
    long start = decimal(fields[0]);
    long count = decimal(fields[1]);
    decimal(fields[2]);
    decimal(fields[3]);
    if (count < 1 || count > MAX_BLOCKS || start > Long.MAX_VALUE - count) {
      throw new NumberFormatException();
    }
    trace.addRange(start, count);
  }

  private static String[] fields(String line, int count) {
    String[] fields = SPACE.split(line.strip());
    if (fields.length != count) {
      throw new NumberFormatException();
    }
    return fields;
  }

  /** A number from 0 without a sign. */
  private static long decimal(String digits) {
    if (digits.isEmpty() || !Character.isDigit(digits.charAt(0))) {
      throw new NumberFormatException();
    }
    return Long.parseLong(digits);
  }

  static String shown(String line) {
    String start = line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line;
    return start.replaceAll("[^ -~]", "?");
  }
}

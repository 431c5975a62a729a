package io.latchkey.bench.keys;

import io.latchkey.bench.console.BadInputException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.tukaani.xz.CorruptedInputException;
import org.tukaani.xz.XZFormatException;
import org.tukaani.xz.XZInputStream;

/** Reads traces from files, which may be compressed: {@code .gz} and {@code .xz}. */
public final class TraceFile {
  private TraceFile() {}

  /**
   * Reads a whole trace; of CSV the first column.
   *
   * @throws BadInputException as {@link #read(Path, TraceFormat, CsvColumn)} does
   */
  public static Trace read(Path file, TraceFormat format) {
    return read(file, format, CsvColumn.FIRST);
  }

  /**
   * Reads a whole trace.
   *
   * @param column where the key is, if the format is CSV
   * @throws BadInputException if the file is missing, unreadable, cut short, empty, or has a record
   *     that is none of the format; the message tells the number of the record
   */
  public static Trace read(Path file, TraceFormat format, CsvColumn column) {
    check(file);
    Trace.Builder trace = new Trace.Builder();
    try (InputStream in = open(file)) {
      format.read(in, trace, column);
    } catch (IOException e) {
      throw new BadInputException(complaint(file, format, trace.records() + 1, e), e);
    }
    if (trace.records() == 0) {
      throw new BadInputException(
          "trace " + file + " has no record: record 1 should be " + format.record());
    }
    return trace.build();
  }

  private static void check(Path file) {
    if (Files.isDirectory(file)) {
      throw new BadInputException("trace " + file + " is a directory: name a file");
    }
    if (!Files.exists(file)) {
      throw new BadInputException("trace " + file + " does not exist: check the path");
    }
    if (!Files.isReadable(file)) {
      throw new BadInputException("trace " + file + " cannot be read: check its permissions");
    }
  }

  private static InputStream open(Path file) throws IOException {
    InputStream bytes = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    try {
      String name = file.toString();
      if (name.endsWith(".gz")) {
        return new GZIPInputStream(bytes, 1 << 16);
      }
      return name.endsWith(".xz") ? new XZInputStream(bytes) : bytes;
    } catch (IOException e) {
      bytes.close();
      throw e;
    }
  }

  private static String complaint(Path file, TraceFormat format, int record, IOException e) {
    String where = "trace " + file + ", record " + record + ": expected " + format.record();
    if (e instanceof BadRecordException) {
      return where + " (" + format.id() + "), found " + e.getMessage();
    }
    if (e instanceof EOFException) {
      return where + ", but the compressed file ends there: it was cut short, copy it again";
    }
    if (e instanceof ZipException
        || e instanceof CorruptedInputException
        || e instanceof XZFormatException) {
      return where + ", but the compressed file is corrupt (" + e.getMessage() + "): copy it again";
    }
    return where + ", but the file cannot be read: " + e.getMessage();
  }
}

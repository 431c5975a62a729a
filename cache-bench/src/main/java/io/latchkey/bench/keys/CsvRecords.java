package io.latchkey.bench.keys;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;

/** Traces of comma-separated values; fields may be quoted, empty lines count for nothing. */
final class CsvRecords {
  private CsvRecords() {}

  static void read(InputStream in, Trace.Builder trace, CsvColumn column) throws IOException {
    InputStreamReader text = new InputStreamReader(in, StandardCharsets.UTF_8);
    try (CsvReader<CsvRecord> csv =
        CsvReader.builder().allowExtraFields(true).allowMissingFields(true).ofCsvRecord(text)) {
      Iterator<CsvRecord> records = csv.iterator();
      int index = column.number() - 1;
      if (!column.name().isEmpty() && records.hasNext()) {
        index = indexOf(column.name(), records.next());
      }
      while (records.hasNext()) {
        CsvRecord record = records.next();
        if (record.getFieldCount() <= index) {
          throw new BadRecordException(
              "only "
                  + record.getFieldCount()
                  + " columns in line "
                  + record.getStartingLineNumber()
                  + ", and the key should be in column "
                  + column);
        }
        String key = record.getField(index);
        if (key.isEmpty()) {
          throw new BadRecordException(
              "an empty key in line " + record.getStartingLineNumber() + ", column " + column);
        }
        trace.add(key);
      }
    } catch (CsvParseException e) {
      throw e.getCause() instanceof IOException cause ? cause : new BadRecordException(reason(e));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static String reason(CsvParseException e) {
    return "something else (" + e.getMessage() + ")";
  }

  private static int indexOf(String name, CsvRecord header) throws BadRecordException {
    for (int index = 0; index < header.getFieldCount(); index++) {
      if (header.getField(index).strip().equals(name)) {
        return index;
      }
    }
    String names = String.join(", ", header.getFields());
    throw new BadRecordException(
        "no column '"
            + name
            + "' in the header ("
            + TextRecords.shown(names)
            + "): name one of those, or give a number");
  }
}

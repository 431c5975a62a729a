package io.latchkey.bench.backend;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.storage.Codec;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys whose objects are read, and how they become bytes.
 *
 * @param codec turns keys to bytes
 * @param keys different keys
 * @param <K> the type of the keys
 */
public record BackendKeys<K>(Codec<K> codec, List<K> keys) {
  /** Each way to read has a part of the keys to itself. */
  private static final int MIN = 4;

  private static final int MAX = 1 << 24;
  private static final Pattern RANGE = Pattern.compile("(-?\\d{1,18})\\.\\.(-?\\d{1,18})");

  /** Keeps a copy of the keys. */
  public BackendKeys {
    keys = List.copyOf(keys);
    if (keys.size() < MIN || keys.size() > MAX) {
      throw new BadInputException(
          "there must be from " + MIN + " to " + MAX + " different keys, not " + keys.size());
    }
  }

  /**
   * Numbers as they are written on the command line: {@code 0..9999}, both ends included.
   *
   * @param codec how they become bytes: {@code int64} or {@code utf8}, as decimal digits
   * @throws BadInputException if it is no range, or the codec is unknown
   */
  public static BackendKeys<?> range(String range, String codec) {
    Matcher ends = RANGE.matcher(range);
    if (!ends.matches()) {
      throw new BadInputException("--keys must be a range like 0..9999, not '" + range + "'");
    }
    long from = Long.parseLong(ends.group(1));
    long to = Long.parseLong(ends.group(2));
    long count = to - from + 1;
    if (count < MIN || count > MAX) {
      throw new BadInputException(
          "--keys " + range + " must hold from " + MIN + " to " + MAX + " keys, not " + count);
    }
    List<String> texts = new ArrayList<>();
    for (long key = from; key <= to; key++) {
      texts.add(String.valueOf(key));
    }
    return of(texts, codec, "--keys " + range);
  }

  /**
   * Keys from a file, a key a line; empty lines count for nothing.
   *
   * @throws BadInputException if it cannot be read, or a line is no key for the codec
   */
  public static BackendKeys<?> file(Path file, String codec) {
    if (Files.isDirectory(file)) {
      throw new BadInputException("--key-file " + file + " is a directory: name a file");
    }
    if (!Files.exists(file)) {
      throw new BadInputException("--key-file " + file + " does not exist: check the path");
    }
    try {
      return of(Files.readAllLines(file), codec, "--key-file " + file);
    } catch (CharacterCodingException e) {
      throw new BadInputException("--key-file " + file + " is no text in UTF-8", e);
    } catch (IOException e) {
      throw new BadInputException("--key-file " + file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static BackendKeys<?> of(List<String> texts, String codec, String source) {
    return switch (codec) {
      case "int64" -> new BackendKeys<>(Codec.int64(), parsed(texts, source, Long::parseLong));
      case "utf8" -> new BackendKeys<>(Codec.utf8(), parsed(texts, source, text -> text));
      default ->
          throw new BadInputException("unknown key codec '" + codec + "': use one of int64, utf8");
    };
  }

  private static <K> List<K> parsed(List<String> texts, String source, Function<String, K> parse) {
    List<K> keys = new ArrayList<>();
    for (int line = 0; line < texts.size(); line++) {
      String text = texts.get(line);
      if (text.isEmpty()) {
        continue;
      }
      try {
        keys.add(parse.apply(text));
      } catch (NumberFormatException e) {
        throw new BadInputException(
            source
                + ", line "
                + (line + 1)
                + ": '"
                + (text.length() > 40 ? text.substring(0, 40) + "..." : text)
                + "' is no number; for keys that are text use --key-codec utf8",
            e);
      }
    }
    return keys.stream().distinct().toList();
  }
}

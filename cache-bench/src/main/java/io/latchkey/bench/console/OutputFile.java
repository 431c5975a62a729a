package io.latchkey.bench.console;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A file that a command is asked to write. */
public final class OutputFile {
  private final String option;
  private final Path file;

  private OutputFile(String option, Path file) {
    this.option = option;
    this.file = file;
  }

  /**
   * Finds out early whether the file can be written, before anything is measured.
   *
   * @param option the option that names it, for messages
   * @throws BadInputException if it cannot
   */
  public static OutputFile of(String option, Path file) {
    Path directory = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      throw new BadInputException(option + " " + file + " is a directory: name a file");
    }
    if (directory == null || !Files.isDirectory(directory)) {
      throw new BadInputException(option + " " + file + ": there is no directory " + directory);
    }
    if (!opens(file)) {
      throw new BadInputException(
          option + " " + file + " cannot be written: check its permissions");
    }
    return new OutputFile(option, file);
  }

  /** Opens it for writing, which permissions alone do not tell, and leaves it as it was. */
  private static boolean opens(Path file) {
    boolean isThere = Files.exists(file);
    if (isThere && !Files.isRegularFile(file)) {
      return Files.isWritable(file); // opening a pipe would wait for its reader
    }
    try {
      Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close();
      if (!isThere) {
        Files.delete(file);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Writes the text in UTF-8, replacing what was in the file: all of it, or nothing. If there is no
   * room, the text goes to the directory for temporary files, since measuring again costs more.
   *
   * @throws FailedRunException if it could not be written where it was asked for
   */
  public void write(String text) {
    try {
      replace(text);
    } catch (IOException e) {
      Path rescued = rescue(text);
      String where =
          rescued == null
              ? " (and nowhere else: the results are lost)"
              : " (the results are in " + rescued + ")";
      throw new FailedRunException("writing " + option + " " + file + where, e);
    }
  }

  private void replace(String text) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      Files.writeString(file, text, StandardCharsets.UTF_8); // a device or a pipe
      return;
    }
    Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
    Path part = target.resolveSibling(target.getFileName() + "." + System.nanoTime() + ".part");
    try {
      Files.writeString(part, text, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW);
    } catch (AccessDeniedException noNewFiles) {
      Files.writeString(target, text, StandardCharsets.UTF_8);
      return;
    } catch (IOException e) {
      Files.deleteIfExists(part);
      throw e;
    }
    Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
  }

  private static @Nullable Path rescue(String text) {
    try {
      Path aside = Files.createTempFile("latchkey-", ".txt");
      Files.writeString(aside, text, StandardCharsets.UTF_8);
      return aside;
    } catch (IOException full) {
      return null;
    }
  }
}

package io.latchkey.storage.rocksdb;

import io.latchkey.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder before RocksDB touches it, because RocksDB takes any folder for its own, and begins a
 * new database where it misses the file that names the newest one. A file of ours tells the folders
 * that were made here; it is written first of all.
 */
final class Folder {
  /** Tells our folders from those of other programs; RocksDB ignores it. */
  private static final String MARKER = "LATCHKEY";

  private static final String FORMAT = "latchkey-storage-rocksdb 1";

  /** The file of RocksDB that names the newest state of the database. */
  private static final String CURRENT = "CURRENT";

  /** How many files a message names. */
  private static final int NAMED = 3;

  private Folder() {}

  /** Makes the folder ready to be opened, or refuses it as it is. */
  static void prepare(Path folder, String name) throws StorageException {
    try {
      if (!Files.exists(folder)) {
        create(folder, name);
      }
      if (!Files.isDirectory(folder)) {
        throw refused(name, "it is a file: name a folder, which may be missing or empty", null);
      }
      List<String> files = files(folder);
      if (!files.contains(MARKER)) {
        if (!files.isEmpty()) {
          throw refused(name, foreign(files), null);
        }
        mark(folder);
      } else {
        check(folder, files, name);
      }
      if (!Files.isWritable(folder)) {
        throw refused(name, "it cannot be written: check the permissions", null);
      }
    } catch (IOException e) {
      throw refused(name, e + ": check the permissions and the disk", e);
    }
  }

  private static void create(Path folder, String name) throws IOException, StorageException {
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw refused(name, parent + " is no folder: create that first", null);
    }
    Files.createDirectory(folder);
  }

  private static List<String> files(Path folder) throws IOException {
    try (Stream<Path> found = Files.list(folder)) {
      return found.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    }
  }

  private static String foreign(List<String> files) {
    if (files.contains(CURRENT)) {
      return "it is a RocksDB database of another program: name another folder";
    }
    String named = String.join(", ", files.subList(0, Math.min(NAMED, files.size())));
    return "it holds something else ("
        + named
        + (files.size() > NAMED ? ", …" : "")
        + "): name a new or an empty folder";
  }

  private static void mark(Path folder) throws IOException {
    Files.writeString(folder.resolve(MARKER), FORMAT + "\n");
  }

  private static void check(Path folder, List<String> files, String name)
      throws IOException, StorageException {
    String format = Files.readString(folder.resolve(MARKER)).strip();
    boolean begun = files.contains(CURRENT);
    if (!format.equals(FORMAT) && (begun || !format.isEmpty())) {
      throw refused(
          name,
          "its file "
              + MARKER
              + " does not say '"
              + FORMAT
              + "': it is of a newer version of Latchkey, or damaged",
          null);
    }
    if (!begun && files.stream().anyMatch(Folder::isData)) {
      throw Failures.damaged(name, "its file " + CURRENT + " is missing", null);
    }
    if (format.isEmpty()) {
      mark(folder); // the process ended while it was written
    }
  }

  /** Whether there was a database; a manifest alone may be one that was never finished. */
  private static boolean isData(String file) {
    return file.endsWith(".sst") || file.endsWith(".log");
  }

  private static StorageException refused(String name, String why, @Nullable Throwable cause) {
    return new StorageException(
        name, "cannot open " + name + ": " + why, cause, cause instanceof IOException);
  }
}

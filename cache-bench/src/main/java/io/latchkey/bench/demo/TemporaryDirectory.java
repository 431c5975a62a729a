package io.latchkey.bench.demo;

import io.latchkey.bench.console.FailedRunException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory that is deleted with its files when closed, or when the process is ended. */
final class TemporaryDirectory implements AutoCloseable {
  private final Path path;
  private final Thread atExit = new Thread(this::delete, "delete temporary files");

  private TemporaryDirectory(Path path) {
    this.path = path;
  }

  static TemporaryDirectory create(String prefix) {
    Path path;
    try {
      path = Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new FailedRunException("creating a temporary directory", e);
    }
    TemporaryDirectory directory = new TemporaryDirectory(path);
    Runtime.getRuntime().addShutdownHook(directory.atExit);
    return directory;
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    delete();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException exiting) {
      // The hook runs and finds nothing left.
    }
  }

  private synchronized void delete() {
    try {
      if (Files.exists(path)) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
          for (Path file : files) {
            Files.deleteIfExists(file);
          }
        }
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      System.getLogger(TemporaryDirectory.class.getName())
          .log(System.Logger.Level.WARNING, "delete " + path + " yourself: " + e);
    }
  }
}

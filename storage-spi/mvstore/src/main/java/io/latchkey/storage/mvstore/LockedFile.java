package io.latchkey.storage.mvstore;

import io.latchkey.storage.StorageException;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A file that this storage alone has open, in this process and among processes.
 *
 * <p>It reads and writes through {@link RandomAccessFile}, because a {@code FileChannel} closes
 * itself when a thread that uses it is interrupted, and loads are interrupted as a matter of
 * course. Its handles have a file position each, so each has a lock; several of them let loads read
 * beside each other.
 */
final class LockedFile implements FileBytes {
  /**
   * The files that are open in this process, by what the file system identifies them by. It is
   * looked at before a file is touched: with POSIX locks, closing any handle of a file gives up the
   * lock that another handle of the same process has on it.
   */
  private static final Set<Object> OPEN = ConcurrentHashMap.newKeySet();

  /**
   * One byte far behind the data, where a mandatory lock of Windows does not stop our own other
   * handles. It overlaps with the lock on everything that MVStore itself takes.
   */
  private static final long LOCKED_BYTE = Long.MAX_VALUE - 1;

  private static final int READERS = 4;

  private final Object identity;
  private final Handle writer;
  private final Handle[] readers = new Handle[READERS];

  private LockedFile(Path file, Object identity) throws IOException {
    this.identity = identity;
    this.writer = new Handle(file, "rw");
  }

  /** A handle with its position, one user at a time. */
  private static final class Handle {
    final RandomAccessFile file;
    final ReentrantLock lock = new ReentrantLock();

    Handle(Path path, String mode) throws IOException {
      file = new RandomAccessFile(path.toFile(), mode);
    }

    void read(long position, byte[] target) throws IOException {
      lock.lock();
      try {
        file.seek(position);
        file.readFully(target);
      } catch (EOFException e) {
        throw new EOFException(
            "the file ends before byte " + (position + target.length) + ", at " + file.length());
      } finally {
        lock.unlock();
      }
    }
  }

  /** Opens the file, and creates it if it is missing; says in the exception what to do if not. */
  static LockedFile open(Path file, String name) throws StorageException {
    createIfMissing(file, name);
    Object identity = identity(file, name);
    if (!OPEN.add(identity)) {
      throw refused(
          name,
          file + " is open in this process already: share that storage, or close it first",
          null,
          true);
    }
    @Nullable LockedFile opened = null;
    boolean done = false;
    try {
      opened = new LockedFile(file, identity);
      if (opened.lock() == null) {
        throw lockedElsewhere(file, name, null);
      }
      for (int i = 0; i < READERS; i++) {
        opened.readers[i] = new Handle(file, "r");
      }
      done = true;
      return opened;
    } catch (OverlappingFileLockException e) {
      throw lockedElsewhere(file, name, e);
    } catch (IOException e) {
      throw refused(
          name,
          "cannot open "
              + file
              + " for reading and writing: "
              + StorageException.reason(e)
              + "; check the permissions of the file",
          e,
          false);
    } finally {
      if (!done) {
        if (opened == null) {
          OPEN.remove(identity);
        } else {
          opened.close();
        }
      }
    }
  }

  private @Nullable FileLock lock() throws IOException {
    return writer.file.getChannel().tryLock(LOCKED_BYTE, 1, false);
  }

  private static StorageException lockedElsewhere(
      Path file, String name, @Nullable Throwable cause) {
    return refused(
        name,
        file + " is locked by another process: close it there, or give each process its own file",
        cause,
        true);
  }

  private static void createIfMissing(Path file, String name) throws StorageException {
    if (Files.isDirectory(file)) {
      throw refused(name, file + " is a directory: name a file in it", null, false);
    }
    if (Files.exists(file)) {
      if (!Files.isRegularFile(file)) {
        throw refused(name, file + " is no regular file: name another one", null, false);
      }
      return;
    }
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException e) {
      // Another opener was faster; who gets the lock is decided below.
      return;
    } catch (NoSuchFileException e) {
      throw refused(
          name,
          "cannot create "
              + file
              + ": its directory "
              + file.toAbsolutePath().getParent()
              + " does not exist; create it first",
          e,
          false);
    } catch (AccessDeniedException e) {
      throw refused(
          name,
          "cannot create "
              + file
              + ": no permission to write to its directory "
              + file.toAbsolutePath().getParent(),
          e,
          false);
    } catch (IOException e) {
      throw refused(name, "cannot create " + file + ": " + StorageException.reason(e), e, false);
    }
  }

  private static Object identity(Path file, String name) throws StorageException {
    try {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      return key != null ? key : file.toRealPath();
    } catch (IOException e) {
      throw refused(name, "cannot look at " + file + ": " + StorageException.reason(e), e, false);
    }
  }

  private static StorageException refused(
      String name, String message, @Nullable Throwable cause, boolean retryable) {
    return new StorageException(name, message, cause, retryable);
  }

  @Override
  public void read(long position, byte[] target) throws IOException {
    int start = (int) Thread.currentThread().getId() & (READERS - 1);
    readers[start].read(position, target);
  }

  @Override
  public void write(long position, byte[] source, int offset, int length) throws IOException {
    writer.lock.lock();
    try {
      writer.file.seek(position);
      writer.file.write(source, offset, length);
    } finally {
      writer.lock.unlock();
    }
  }

  @Override
  public long size() throws IOException {
    return writer.file.length();
  }

  @Override
  public void truncate(long size) throws IOException {
    writer.lock.lock();
    try {
      writer.file.setLength(size);
    } finally {
      writer.lock.unlock();
    }
  }

  @Override
  public void force() throws IOException {
    // Called by the thread that commits only, which nobody interrupts.
    writer.file.getFD().sync();
  }

  /** Gives up the lock with the handles. Errors are of no account: nothing is buffered here. */
  @Override
  public void close() {
    try {
      for (Handle reader : readers) {
        if (reader != null) {
          reader.file.close();
        }
      }
      writer.file.close();
    } catch (IOException e) {
      System.getLogger("io.latchkey.storage")
          .log(System.Logger.Level.WARNING, "A handle of " + identity + " could not be closed", e);
    } finally {
      OPEN.remove(identity);
    }
  }
}

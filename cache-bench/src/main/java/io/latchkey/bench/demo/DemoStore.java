package io.latchkey.bench.demo;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Progress;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The storage with the objects: the MVStore file or other one that was named, or a temporary file.
 */
final class DemoStore implements AutoCloseable {
  private static final int BATCH = 1000;

  private final String name;
  private final @Nullable Path file;
  private final WritableStorage<Long, VersionedObject> storage;
  private final @Nullable TemporaryDirectory temporary;
  private int found;

  private DemoStore(
      String name,
      @Nullable Path file,
      WritableStorage<Long, VersionedObject> storage,
      @Nullable TemporaryDirectory temporary) {
    this.name = name;
    this.file = file;
    this.storage = storage;
    this.temporary = temporary;
  }

  /**
   * Opens the storage or the file, or a temporary one that is deleted by {@link #close} or the
   * process's end.
   */
  static DemoStore open(DemoSettings settings) {
    String url = settings.storage();
    if (url != null) {
      String name = "--storage " + StorageUrl.redact(url);
      return new DemoStore(name, null, open(url, "--storage"), null);
    }
    Path file = settings.file();
    if (file != null) {
      return new DemoStore("--file " + file, file, open(url(file), "--file " + file), null);
    }
    TemporaryDirectory directory = TemporaryDirectory.create("latchkey-demo");
    Path inside = directory.path().resolve("objects.mv");
    String role = "temporary file " + inside;
    return new DemoStore(role, inside, open(url(inside), role), directory);
  }

  private static String url(Path file) {
    return "mvstore:" + file.toAbsolutePath().toUri().getRawPath();
  }

  private static WritableStorage<Long, VersionedObject> open(String url, String role) {
    Storage<Long, VersionedObject> storage;
    try {
      storage = Storages.open(url, Codec.int64(), VersionedObject.codec());
    } catch (StorageException | IllegalArgumentException e) {
      throw new BadInputException(role + ": " + e.getMessage(), e);
    }
    if (storage instanceof WritableStorage<Long, VersionedObject> writable) {
      return writable;
    }
    storage.close();
    throw new BadInputException(
        role + ": " + storage.name() + " cannot be written, and the demo updates its objects");
  }

  WritableStorage<Long, VersionedObject> storage() {
    return storage;
  }

  /** Creates the objects that are missing; tells the versions of all. */
  Versions fill(int objects, int bytes, Progress progress) {
    long[] versions = new long[objects];
    for (int start = 0; start < objects; start += BATCH) {
      int end = Math.min(start + BATCH, objects);
      fill(start, end, bytes, versions);
      progress.stepTo(end);
    }
    return new Versions(versions);
  }

  private void fill(int start, int end, int bytes, long[] versions) {
    Set<Long> ids = new LinkedHashSet<>();
    for (long id = start; id < end; id++) {
      ids.add(id);
    }
    Map<Long, VersionedObject> present = load(ids);
    found += present.size();
    Map<Long, VersionedObject> missing = new HashMap<>();
    for (long id : ids) {
      VersionedObject object = present.get(id);
      if (object == null) {
        object = VersionedObject.of(id, 1, bytes);
        missing.put(id, object);
      }
      versions[(int) id] = object.version();
    }
    try {
      storage.storeAll(missing);
    } catch (Exception e) {
      throw new FailedRunException("storing objects in " + name, e);
    }
  }

  private Map<Long, VersionedObject> load(Set<Long> ids) {
    try {
      return storage.loadAll(ids);
    } catch (Exception e) {
      throw new BadInputException(
          name
              + " holds something else than a demo's objects: name a new one ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  /** What it is, and of a file its size now. */
  String describe() {
    if (file == null) {
      return storage.name();
    }
    String shown = temporary != null ? "a temporary file" : file.toString();
    return "MVStore, " + shown + ", " + Figures.count(size(file) >> 20) + " MB";
  }

  /** How many of the objects were there when it was opened. */
  int found() {
    return found;
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new FailedRunException("reading the size of " + file, e);
    }
  }

  @Override
  public void close() {
    storage.close();
    if (temporary != null) {
      temporary.close();
    }
  }
}

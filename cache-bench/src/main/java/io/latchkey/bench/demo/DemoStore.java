package io.latchkey.bench.demo;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Progress;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
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

/** The MVStore file with the objects: the one that was named, or a temporary one. */
final class DemoStore implements AutoCloseable {
  private static final int BATCH = 1000;

  private final Path file;
  private final WritableStorage<Long, VersionedObject> storage;
  private final @Nullable TemporaryDirectory temporary;
  private int found;

  private DemoStore(
      Path file,
      WritableStorage<Long, VersionedObject> storage,
      @Nullable TemporaryDirectory temporary) {
    this.file = file;
    this.storage = storage;
    this.temporary = temporary;
  }

  /** Opens the file, or a temporary one that is deleted by {@link #close} or the process's end. */
  static DemoStore open(@Nullable Path file) {
    if (file != null) {
      return new DemoStore(file, open(file, "--file"), null);
    }
    TemporaryDirectory directory = TemporaryDirectory.create("latchkey-demo");
    Path inside = directory.path().resolve("objects.mv");
    return new DemoStore(inside, open(inside, "temporary file"), directory);
  }

  private static WritableStorage<Long, VersionedObject> open(Path file, String role) {
    try {
      Storage<Long, VersionedObject> storage =
          Storages.open(
              "mvstore:" + file.toAbsolutePath().toUri().getRawPath(),
              Codec.int64(),
              VersionedObject.codec());
      return (WritableStorage<Long, VersionedObject>) storage;
    } catch (StorageException | IllegalArgumentException e) {
      throw new BadInputException(role + " " + file + ": " + e.getMessage(), e);
    }
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
      throw new FailedRunException("storing objects in " + file, e);
    }
  }

  private Map<Long, VersionedObject> load(Set<Long> ids) {
    try {
      return storage.loadAll(ids);
    } catch (Exception e) {
      throw new BadInputException(
          "--file "
              + file
              + " holds something else than a demo's objects: name a new file ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  /** The file, and its size now. */
  String describe() {
    String name = temporary != null ? "a temporary file" : file.toString();
    return name + ", " + Figures.count(size() >> 20) + " MB";
  }

  /** How many of the objects were there when the file was opened. */
  int found() {
    return found;
  }

  private long size() {
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

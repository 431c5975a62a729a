package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.nio.file.Path;

/** A store with the demo's keys and somebody else's objects. */
final class OtherStore {
  private static final String OBJECT = "a letter to Theo";
  private static final int OBJECTS = 50;

  private OtherStore() {}

  static void create(Path file) throws Exception {
    try (WritableStorage<Long, String> store = open(file)) {
      for (long key = 0; key < OBJECTS; key++) {
        store.store(key, OBJECT);
      }
    }
  }

  static void assertUntouched(Path file) throws Exception {
    try (WritableStorage<Long, String> store = open(file)) {
      for (long key = 0; key < OBJECTS; key++) {
        assertThat(store.load(key)).isEqualTo(OBJECT);
      }
      assertThat(store.load((long) OBJECTS)).as("no object was added").isNull();
    }
  }

  static WritableStorage<Long, String> open(Path file) throws StorageException {
    return (WritableStorage<Long, String>)
        Storages.open("mvstore:" + file, Codec.int64(), Codec.utf8());
  }
}

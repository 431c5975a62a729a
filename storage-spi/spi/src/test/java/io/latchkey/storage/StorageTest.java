package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StorageTest {
  @Test
  void aLambdaIsAStorage() throws Exception {
    try (Storage<Long, String> storage = id -> id == 1 ? "one" : null) {
      assertThat(storage.load(1L)).isEqualTo("one");
      assertThat(storage.load(2L)).isNull();
    }
  }

  @Test
  void loadAllLoadsOneByOneInOrderAndLeavesOutWhatIsAbsent() throws Exception {
    List<Integer> loads = new ArrayList<>();
    Storage<Integer, String> storage =
        key -> {
          loads.add(key);
          return key == 2 ? null : "v" + key;
        };
    assertThat(storage.loadAll(new LinkedHashSet<>(List.of(3, 2, 1))).toString())
        .isEqualTo("{3=v3, 1=v1}");
    assertThat(loads).containsExactly(3, 2, 1);
    assertThatNullPointerException().isThrownBy(() -> storage.loadAll(null)).withMessage("keys");
  }

  @Test
  void theNameIsTheSimpleNameOfTheClass() {
    class Named implements Storage<String, String> {
      @Override
      public @Nullable String load(String key) {
        return null;
      }
    }

    Storage<String, String> anonymous =
        new Storage<>() {
          @Override
          public @Nullable String load(String key) {
            return null;
          }
        };
    assertThat(new Named().name()).isEqualTo("Named");
    assertThat(anonymous.name()).startsWith("StorageTest$");
    Storage<String, Integer> lambda = String::length;
    assertThat(lambda.name()).isEqualTo("StorageTest lambda");
  }

  @Test
  void storeAllStoresOneByOneInOrder() throws Exception {
    Map<String, Integer> stored = new LinkedHashMap<>();
    WritableStorage<String, Integer> storage =
        new WritableStorage<>() {
          @Override
          public @Nullable Integer load(String key) {
            return stored.get(key);
          }

          @Override
          public void store(String key, Integer value) {
            stored.put(key, value);
          }

          @Override
          public void delete(String key) {
            stored.remove(key);
          }
        };
    Map<String, Integer> entries = new LinkedHashMap<>();
    entries.put("b", 2);
    entries.put("a", 1);
    storage.storeAll(entries);
    assertThat(stored.toString()).isEqualTo("{b=2, a=1}");
    assertThatNullPointerException()
        .isThrownBy(() -> storage.storeAll(null))
        .withMessage("entries");
  }
}

package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is special to the storage in memory; the rest is in the contract suite. */
class MemoryStorageTest {
  private static <V> MemoryStorage<String, V> open(String url, Codec<V> values) throws Exception {
    return (MemoryStorage<String, V>) Storages.open(url, Codec.utf8(), values);
  }

  private static final class Events implements FeedListener<String> {
    final List<String> told = new ArrayList<>();

    @Override
    public void changed(long epoch, long sequence, Collection<? extends String> keys) {
      told.add(String.join(",", keys));
    }

    @Override
    public void changedAll(long epoch, long sequence) {
      told.add("all");
    }

    @Override
    public void lost(String reason) {
      told.add("lost: " + reason);
    }

    @Override
    public void whole(long epoch, long sequence) {
      told.add("whole");
    }
  }

  @Test
  void withoutANameEachIsItsOwn() throws Exception {
    try (MemoryStorage<String, String> one = open("memory:", Codec.utf8());
        MemoryStorage<String, String> two = open("memory:", Codec.utf8())) {
      one.store("k", "v");
      assertThat(two.load("k")).isNull();
      assertThat(one.name()).isEqualTo("memory:");
    }
  }

  @Test
  void withANameItIsSharedUntilTheLastClose() throws Exception {
    MemoryStorage<String, String> one = open("memory:shared", Codec.utf8());
    MemoryStorage<String, byte[]> two = open("memory://shared", Codec.bytes());
    assertThat(two.name()).isEqualTo("memory:shared");
    one.store("k", "v");
    assertThat(two.load("k")).containsExactly('v');
    one.close();
    one.close();
    assertThat(two.load("k")).containsExactly('v');
    assertThatThrownBy(() -> one.load("k"))
        .isInstanceOf(StorageException.class)
        .hasMessage("memory:shared is closed: open it again");
    two.close();
    try (MemoryStorage<String, String> three = open("memory:shared", Codec.utf8())) {
      assertThat(three.load("k")).isNull();
      assertThat(three.size()).isZero();
    }
  }

  @Test
  void eachUserIsToldTheChangesOfAllUntilItCloses() throws Exception {
    Events events = new Events();
    MemoryStorage<String, String> watched = open("memory:watched", Codec.utf8());
    try (MemoryStorage<String, String> writer = open("memory:watched", Codec.utf8())) {
      watched.watch(events);
      writer.store("a", "1");
      writer.storeAll(Map.of("b", "2"));
      writer.delete("a");
      writer.clear();
      assertThat(writer.size()).isZero();
      watched.close();
      writer.store("c", "3");
    }
    assertThat(events.told)
        .containsExactly("whole", "a", "b", "a", "all", "lost: memory:watched was closed");
  }

  @Test
  void storeAllIsOneEventAndStoresNothingWhenAnEntryIsBad() throws Exception {
    Events events = new Events();
    try (MemoryStorage<String, String> storage = open("memory:", Codec.utf8())) {
      Subscription subscription = storage.watch(events);
      storage.storeAll(new TreeMap<>(Map.of("a", "1", "b", "2")));
      assertThatThrownBy(() -> storage.storeAll(new TreeMap<>(Map.of("c", "3", "d", "\uD83D"))))
          .isInstanceOf(IllegalArgumentException.class);
      subscription.close();
      storage.store("e", "5");
      assertThat(storage.load("c")).isNull();
    }
    assertThat(events.told).containsExactly("whole", "a,b");
  }

  @Test
  void openedByUrlNoArrayIsSharedWithItsUsers() throws Exception {
    try (MemoryStorage<String, byte[]> storage =
        open("memory:", Codec.of(value -> value.clone(), bytes -> bytes))) {
      byte[] given = {1};
      storage.store("k", given);
      given[0] = 9;
      storage.load("k")[0] = 9;
      assertThat(storage.load("k")).containsExactly(1);
    }
  }

  @Test
  void createKeepsTheVeryObjects() throws Exception {
    try (MemoryStorage<Integer, Object> storage = MemoryStorage.create()) {
      Object value = new Object();
      storage.store(1, value);
      assertThat(storage.load(1)).isSameAs(value);
      assertThat(storage.name()).isEqualTo("memory");
    }
  }
}

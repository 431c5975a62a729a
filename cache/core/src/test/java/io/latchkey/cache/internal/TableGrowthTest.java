package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.StackEdge;
import io.latchkey.cache.testing.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The table while it grows, and after a growth that was broken off. */
class TableGrowthTest {
  /** A table of this bound starts with this many slots and stripes. */
  private static final int BOUND = 1536;

  private static final int SLOTS = 2048;
  private static final int STRIPES = 256;

  /** The stripe at which a growth is held up, by a key that is compared under its lock. */
  private static final int HELD = 128;

  @RegisterExtension final Stage stage = new Stage();

  /** A key that is equal to none, and that a roadblock holds when it is compared. */
  private record HeldKey(Roadblock block) {
    @Override
    public boolean equals(Object other) {
      block.pass();
      return this == other;
    }

    @Override
    public int hashCode() {
      return HELD;
    }
  }

  private static Entry insert(Table table, Object key) {
    Entry mine = TableTest.entry(key);
    assertThat(table.findOrInsert(mine)).isSameAs(mine);
    return mine;
  }

  private static Table filled(Map<Object, Entry> model) {
    Table table = new Table(BOUND);
    for (int i = 0; i <= BOUND; i++) {
      model.put(i, insert(table, i));
    }
    assertThat(table.slots().length).isEqualTo(SLOTS);
    return table;
  }

  /** Fills up one stripe until it makes the table look whether it is full. */
  private static void crowd(Table table, int stripe, Map<Object, Entry> model) {
    for (int i = 1; i <= 20; i++) {
      int key = stripe + STRIPES * (i % 8) + SLOTS * i + SLOTS;
      model.put(key, insert(table, key));
    }
  }

  @Test
  @DisplayName("A table that is full grows once one of its stripes is crowded")
  void grows() {
    Map<Object, Entry> model = new HashMap<>();
    Table table = filled(model);
    crowd(table, 5, model);
    assertThat(table.slots().length).isEqualTo(2 * SLOTS);
    assertThat(TableCheck.faults(table)).isEmpty();
    model.forEach((key, entry) -> assertThat(find(table, key)).isSameAs(entry));
  }

  @Test
  @DisplayName("A table of 64 slots grows with its 49th entry, if it comes to a crowded stripe")
  void threeQuarters() {
    Table table = new Table(0);
    Map<Object, Entry> model = new HashMap<>();
    for (int i = 0; model.size() < 34; i++) {
      if (i % 8 != 0) {
        model.put(i, insert(table, i));
      }
    }
    for (int i = 0; i < 14; i++) {
      model.put(72 * i, insert(table, 72 * i));
    }
    assertThat(model).hasSize(48);
    assertThat(table.slots().length).isEqualTo(64);
    Entry last = TableTest.entry(72 * 14);
    assertThat(table.swap(last, () -> true)).as("a swap can be the last straw").isNull();
    assertThat(table.slots().length).isEqualTo(128);
    assertThat(find(table, last.key)).isSameAs(last);
    assertThat(TableCheck.faults(table)).isEmpty();
  }

  @Test
  @DisplayName("A table of 64 slots grows at last when a stripe of eight has its 14th entry")
  void evenlySpread() {
    Table table = new Table(0);
    for (int i = 0; i < 8 * 13; i++) {
      insert(table, i);
    }
    assertThat(table.slots().length).isEqualTo(64);
    insert(table, 8 * 13);
    assertThat(table.slots().length).isEqualTo(128);
  }

  /** A key that holds a reader where it compares it with another one. */
  private record HoldingReader(int number, Roadblock block) {
    @Override
    public boolean equals(Object other) {
      block.pass();
      return other instanceof HoldingReader that && number == that.number;
    }

    @Override
    public int hashCode() {
      return 3;
    }
  }

  @Test
  @DisplayName("A reader that a growth leads astray finds its key all the same, if it must be sure")
  void ledAstray() {
    Map<Object, Entry> model = new HashMap<>();
    Table table = filled(model);
    Roadblock none = new Roadblock();
    Roadblock block = stage.roadblock();
    Entry deep = insert(table, new HoldingReader(1, none));
    insert(table, new HoldingReader(2, none));
    HoldingReader wanted = new HoldingReader(1, block);
    Caller<Entry> sure = stage.callers().start(() -> find(table, wanted));
    Caller<Entry> unsure =
        stage.callers().start(() -> table.find(new HoldingReader(1, block), deep.hash));
    assertThat(sure.value()).isSameAs(deep);
    assertThat(unsure.value()).isSameAs(deep);

    block.arm();
    Caller<Entry> astray = stage.callers().start(() -> find(table, wanted));
    block.awaitHeld();
    crowd(table, 5, model);
    assertThat(table.slots().length).isEqualTo(2 * SLOTS);
    block.open();
    assertThat(astray.value()).isSameAs(deep);
  }

  @Test
  @DisplayName("Colliding keys alone do not make a table grow")
  void doesNotGrowForCollisions() {
    Table table = new Table(BOUND);
    for (int i = 0; i < 1000; i++) {
      insert(table, CollidingKey.of(i));
    }
    crowd(table, 5, new HashMap<>());
    assertThat(table.slots().length).isEqualTo(SLOTS);
    assertThat(TableCheck.faults(table)).isEmpty();
  }

  @Test
  @DisplayName("A growing table has on average at most one entry in each slot")
  void density() {
    Table table = new Table(0);
    int keys = 50_000;
    for (int i = 0; i < keys; i++) {
      insert(table, "key " + i);
    }
    assertThat(table.slots().length).isBetween(keys, 4 * keys);
    assertThat(TableCheck.faults(table)).isEmpty();
  }

  private static Entry find(Table table, Object key) {
    return table.findSurely(key, Table.hash(key));
  }

  @Test
  @DisplayName("F11: Half-way through a growth everything is found, removed, replaced and inserted")
  void halfWay() {
    Map<Object, Entry> model = new HashMap<>();
    Table table = filled(model);
    Roadblock block = stage.roadblock().arm();
    HeldKey heldKey = new HeldKey(block);
    Caller<Object> holder = stage.callers().run(() -> insert(table, heldKey));
    block.awaitHeld();
    Map<Object, Entry> more = new HashMap<>();
    Caller<Object> grower = stage.callers().run(() -> crowd(table, 5, more));
    Patience.until(
        "the growth is held up",
        () -> table.growthPending() && grower.thread().getState() == Thread.State.BLOCKED);

    List<Object> keys = new ArrayList<>(model.keySet());
    keys.removeIf(key -> ((Integer) key & (STRIPES - 1)) == HELD);
    for (Object key : keys) {
      assertThat(table.find(key, Table.hash(key))).isSameAs(model.get(key));
      assertThat(find(table, key)).isSameAs(model.get(key));
    }
    int turn = 0;
    for (Object key : keys) {
      change(turn++ % 5, table, key, model);
    }
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      if (stripe != HELD) {
        int key = stripe + 25 * SLOTS;
        model.put(key, insert(table, key));
      }
    }
    block.open();
    holder.value();
    grower.value();

    model.putAll(more);
    assertThat(table.slots().length).isEqualTo(2 * SLOTS);
    assertThat(TableCheck.faults(table)).isEmpty();
    for (Object key : keys) {
      assertThat(find(table, key)).isSameAs(model.get(key));
    }
    model.forEach((key, entry) -> assertThat(find(table, key)).isSameAs(entry));
    assertThat(find(table, heldKey)).isNotNull();
    assertThat(table.count()).isEqualTo(model.size() + 1);
  }

  private static void change(int how, Table table, Object key, Map<Object, Entry> model) {
    Entry old = model.get(key);
    Entry fresh = TableTest.entry(key);
    switch (how) {
      case 0 -> {
        assertThat(table.remove(key, old.hash)).isSameAs(old);
        model.remove(key);
      }
      case 1 -> {
        assertThat(table.remove(old)).isTrue();
        model.remove(key);
      }
      case 2 -> {
        assertThat(table.replace(old, fresh)).isTrue();
        model.put(key, fresh);
      }
      case 3 -> {
        assertThat(table.swap(fresh, () -> true)).isSameAs(old);
        model.put(key, fresh);
      }
      default -> assertThat(table.findOrInsert(fresh)).isSameAs(old);
    }
  }

  @Test
  @DisplayName("While the table grows from small to large, sure look-ups never miss")
  void readersBesideGrowth() {
    Table table = new Table(0);
    int keys = 40_000;
    int always = 100;
    for (int i = 0; i < always; i++) {
      insert(table, "always " + i);
    }
    AtomicInteger inserted = new AtomicInteger();
    List<Caller<Object>> readers = new ArrayList<>();
    for (int reader = 0; reader < 2; reader++) {
      readers.add(
          stage
              .callers()
              .run(
                  () -> {
                    for (int i = 0; inserted.get() < keys; i++) {
                      String key = "always " + i % always;
                      assertThat(find(table, key)).isNotNull();
                      Entry unsure = table.find(key, Table.hash(key));
                      assertThat(unsure == null || unsure.key.equals(key)).isTrue();
                    }
                  }));
    }
    for (int i = 0; i < keys; i++) {
      insert(table, i * 7);
      if (i % 2 == 0) {
        assertThat(table.remove(i * 7, Table.hash(i * 7))).isNotNull();
      }
      inserted.incrementAndGet();
    }
    readers.forEach(Caller::value);
    assertThat(table.count()).isEqualTo(keys / 2 + always);
    assertThat(TableCheck.faults(table)).isEmpty();
  }

  @Test
  @DisplayName("F6: A growth that the stack has no room for is made up for by a later insertion")
  void brokenOff() {
    List<Map<Object, Entry>> models = new ArrayList<>();
    List<Table> tables = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      models.add(new HashMap<>());
      tables.add(small(models.get(i)));
    }
    Iterator<Table> each = tables.iterator();
    int last = 8 * 1000;
    int attempts =
        StackEdge.explore(
            () -> {
              if (each.hasNext()) {
                each.next().findOrInsert(TableTest.entry(last));
              }
            });
    assertThat(attempts).isGreaterThan(12);
    for (int i = 0; i < tables.size(); i++) {
      Table table = tables.get(i);
      Map<Object, Entry> model = models.get(i);
      table.remove(last, Table.hash(last));
      for (int j = 1; table.slots().length == 64; j++) {
        model.put(last + 8 * j, insert(table, last + 8 * j));
      }
      assertThat(TableCheck.faults(table)).isEmpty();
      model.forEach((key, entry) -> assertThat(find(table, key)).isSameAs(entry));
    }
  }

  /** A table of 64 slots that the next entry in stripe 0 makes grow. */
  private static Table small(Map<Object, Entry> model) {
    Table table = new Table(0);
    for (int i = 0; i < 48; i++) {
      model.put(i, insert(table, i));
    }
    for (int i = 0; i < 7; i++) {
      int key = 512 + 72 * i;
      model.put(key, insert(table, key));
    }
    assertThat(table.slots().length).isEqualTo(64);
    return table;
  }
}

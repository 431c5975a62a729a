package io.latchkey.cache.internal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Walks a table that nobody changes meanwhile, and names what is in the wrong place or number. */
final class TableCheck {
  private final Table table;
  private final Consumer<Entry> visitor;
  private final List<String> faults = new ArrayList<>();
  private final Set<Object> keys = new HashSet<>();
  private long sum;

  private TableCheck(Table table, Consumer<Entry> visitor) {
    this.table = table;
    this.visitor = visitor;
  }

  static List<String> faults(Table table) {
    return faults(table, entry -> {});
  }

  /** The same; shows every entry to the visitor. */
  static List<String> faults(Table table, Consumer<Entry> visitor) {
    TableCheck check = new TableCheck(table, visitor);
    check.look();
    return check.faults;
  }

  private void look() {
    expect(!table.growthPending(), "a growth of the table was left half-way");
    int[] counts = new int[table.groups()];
    @Nullable Entry[] slots = table.slots();
    for (int slot = 0; slot < slots.length; slot++) {
      counts[slot % counts.length] += lookAtChain(slots, slot);
    }
    for (int group = 0; group < counts.length; group++) {
      int said = table.chained(group);
      int has = counts[group];
      expect(said == has, "stripe " + group + " counts " + said + " entries and has " + has);
    }
    table.overflowed().forEach(this::lookAtEntry);
    expect(sum == table.count(), "the table counts " + table.count() + " entries and has " + sum);
  }

  private int lookAtChain(@Nullable Entry[] slots, int slot) {
    int length = 0;
    for (Entry entry = slots[slot]; entry != null; entry = entry.next) {
      if (++length > Table.MAX_CHAIN) {
        faults.add("chain " + slot + " is longer than " + Table.MAX_CHAIN + ", or circular");
        break;
      }
      int home = entry.hash & (slots.length - 1);
      expect(home == slot, text(entry) + " stands in slot " + slot + " and not in " + home);
      lookAtEntry(entry);
    }
    return length;
  }

  /** Keys that do not answer {@code equals} or {@code hashCode} are passed over. */
  private void lookAtEntry(Entry entry) {
    sum++;
    try {
      expect(Table.hash(entry.key) == entry.hash, text(entry) + " has another hash now");
      expect(keys.add(entry.key), text(entry) + " is there twice");
    } catch (RuntimeException | Error touchy) {
      keys.add(entry);
    }
    visitor.accept(entry);
  }

  private void expect(boolean holds, String fault) {
    if (!holds) {
      faults.add(fault);
    }
  }

  private static String text(Entry entry) {
    return "entry " + Failure.text(entry.key);
  }
}

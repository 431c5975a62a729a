package io.latchkey.cache.internal;

import io.latchkey.cache.RemovalCause;
import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The flights of a cache over revisions: each loads one key as of one revision, and becomes a
 * {@link RevisionEntry} in the {@link History} of its key. Their keys are {@link KeyAt}s.
 *
 * <p>A caller that waits on its own thread may wait for a flight of another revision, as its answer
 * may well be the caller's; whether it is, it finds out afterwards.
 */
final class RevisionFlights extends Flights {
  final Heads heads;
  final CommitTail tail;
  private final RevisionStorage<Object, Object> storage;

  @SuppressWarnings("unchecked")
  RevisionFlights(
      CacheCore<?, ?> core, Settings<?, ?> settings, RevisionStorage<?, ?> storage, Heads heads) {
    super(core, settings);
    this.storage = (RevisionStorage<Object, Object>) storage;
    this.heads = heads;
    tail = new CommitTail(heads.head());
  }

  // ---- entries and their places

  @Override
  RevisionEntry flight(Object asked, int hash, Node stack) {
    return new RevisionEntry((KeyAt) asked, hash, stack, heads);
  }

  @Override
  Entry enter(Entry flight, boolean waits) {
    RevisionEntry mine = (RevisionEntry) flight;
    boolean others = waits && Leader.idle();
    for (; ; ) {
      Object key = mine.asked().key();
      Entry place = table.find(key, mine.hash);
      if (place == null) {
        place = table.findOrInsert(new History(key, mine.hash));
      }
      Entry entry = ((History) place).enter(mine, others, heads, tail);
      if (entry != null) {
        return entry;
      }
      table.remove(place);
    }
  }

  @Override
  @Nullable Entry find(Object asked, int hash) {
    KeyAt wanted = (KeyAt) asked;
    Entry place = table.findSurely(wanted.key(), hash);
    return place == null ? null : ((History) place).find(wanted.at(), Leader.idle(), heads, tail);
  }

  @Override
  Object suits(Entry entry, Object asked, Object outcome) {
    RevisionEntry flight = (RevisionEntry) entry;
    long at = ((KeyAt) asked).at();
    if (flight.at() == at || outcome instanceof Interruption) {
      return outcome;
    }
    boolean answer = !(outcome instanceof Failure) && flight.covers(at, heads.head(), heads);
    return answer ? outcome : Joins.RETRY;
  }

  @Override
  Object key(Entry entry) {
    return ((RevisionEntry) entry).asked().key();
  }

  @Override
  boolean keepsAbsent() {
    return true;
  }

  @Override
  @Nullable AsyncStorage<Object, Object> async() {
    return null; // it completes loads of the head only
  }

  // ---- loading

  @Override
  Object load(Object asked) throws Exception {
    KeyAt wanted = (KeyAt) asked;
    Revision<Object> loaded = storage.loadAt(wanted.key(), wanted.at());
    return loaded == null ? Entry.ABSENT : loaded;
  }

  @Override
  @Nullable Map<Object, Object> loadAll(Set<Object> asked) throws Exception {
    Set<Object> keys = new LinkedHashSet<>();
    long at = 0;
    for (Object each : asked) {
      keys.add(((KeyAt) each).key());
      at = ((KeyAt) each).at();
    }
    Map<Object, Revision<Object>> loaded = storage.loadAllAt(keys, at);
    if (loaded == null) {
      return null;
    }
    Map<Object, Object> found = new LinkedHashMap<>();
    for (Object each : asked) {
      Object revision = loaded.get(((KeyAt) each).key());
      if (revision != null) {
        found.put(each, revision);
      }
    }
    return found;
  }

  @Override
  Object settle(Entry entry, Object loaded, boolean here) {
    RevisionEntry mine = (RevisionEntry) entry;
    if (!(loaded instanceof Revision<?> revision)) {
      return fail(entry, inconsistent(mine, "it told nothing"), here);
    }
    long next = revision.nextSerial();
    if (!revision.answers(mine.at())) {
      return fail(
          entry,
          inconsistent(mine, "it tells serial " + revision.serial() + " and next serial " + next),
          here);
    }
    Object value = revision.value();
    mine.absent = value == null;
    if (next == Revision.NO_NEXT) {
      mine.head(Arrival.told(Math.max(mine.at(), mine.serial))); // until now, the head at the start
    } else {
      mine.head(next == Revision.NEXT_UNKNOWN ? Arrival.told(mine.at()) : next);
    }
    mine.serial = revision.serial();
    return super.settle(entry, value == null ? Entry.ABSENT : value, here);
  }

  @Override
  Object arrived(Entry entry, Object outcome, boolean keep) {
    RevisionEntry mine = (RevisionEntry) entry;
    History home = mine.history;
    if (home == null) {
      return outcome;
    }
    Arrival loaded = new Arrival(mine);
    String contradiction = home.arrive(loaded, keep, heads, tail);
    RevisionEntry last = mine;
    for (RevisionEntry each : loaded.replaced()) {
      last.next = each;
      each.next = null;
      last = each;
    }
    if (contradiction == null) {
      return outcome;
    }
    retireReplaced(mine, RemovalCause.INVALIDATED, now());
    return inconsistent(mine, contradiction);
  }

  @Override
  void kept(Entry entry, long now) {
    super.kept(entry, now);
    retireReplaced((RevisionEntry) entry, RemovalCause.REPLACED, now);
  }

  @Override
  void end(Entry entry, long now) {
    super.end(entry, now);
    retireReplaced((RevisionEntry) entry, RemovalCause.REPLACED, now);
  }

  /** Ends the revisions that had to leave for this one; they are out of their history already. */
  private void retireReplaced(RevisionEntry mine, RemovalCause cause, long now) {
    Entry each = mine.next;
    mine.next = null;
    while (each != null) {
      Entry after = each.next;
      each.next = null;
      retire(each, cause, now);
      each = after;
    }
  }

  private Failure inconsistent(RevisionEntry entry, String contradiction) {
    return Failure.inconsistent(
        storageName
            + " contradicts itself about "
            + Failure.text(entry.key)
            + ": "
            + contradiction
            + "; nothing of it was cached");
  }

  // ---- invalidation

  /** Drops all revisions of all keys, flights included; those go on for their callers. */
  void dropAll() {
    long now = now();
    table.clear(
        place -> {
          for (RevisionEntry entry : ((History) place).dissolve()) {
            removed(entry, RemovalCause.INVALIDATED, null, now);
          }
        });
  }
}

package io.latchkey.storage.mvstore;

import io.latchkey.storage.Revision;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.jspecify.annotations.Nullable;

/**
 * The revisions in an MVStore, beside the map of the current objects:
 *
 * <ul>
 *   <li>serials: the key → the revision that wrote or deleted it last. A key without one was
 *       written before the file had revisions, never, or deleted before its history.
 *   <li>versions: the length of the key, the key, the revision that ended it → the revision that
 *       began it, 1 if there was an object, the object. The length keeps the versions of one key
 *       together.
 *   <li>log: the revision → the lengths and keys that it changed.
 *   <li>state: one entry, the head, the oldest revision and the epoch.
 * </ul>
 *
 * <p>Numbers are big-endian, so that they sort. The commit thread writes, in an order that lets
 * others read without a lock: the state, versions, serials, the objects, and what is forgotten
 * last.
 */
final class Revisions {
  /** The base of a write that overwrites whatever is there. */
  static final long BLIND = -1;

  private static final String PREFIX = "io.latchkey.revisions.";
  private static final byte[] STATE = {};

  /** How many old commits one commit forgets at most, after the history was made shorter. */
  private static final int FORGOTTEN_AT_ONCE = 64;

  private final MVMap<byte[], byte[]> objects;
  private final MVMap<byte[], byte[]> serials;
  private final MVMap<byte[], byte[]> versions;
  private final MVMap<byte[], byte[]> log;
  private final MVMap<byte[], byte[]> state;

  /** What became of a write: its revision, or why there is none. */
  record Applied(long revision, List<byte[]> conflicts, boolean baseForgotten) {}

  Revisions(MVStore store, MVMap<byte[], byte[]> objects) {
    this.objects = objects;
    this.serials = map(store, "serials");
    this.versions = map(store, "versions");
    this.log = map(store, "log");
    this.state = map(store, "state");
  }

  private static MVMap<byte[], byte[]> map(MVStore store, String name) {
    return store.openMap(
        PREFIX + name,
        new MVMap.Builder<byte[], byte[]>()
            .keyType(CheckedBytes.INSTANCE)
            .valueType(CheckedBytes.INSTANCE));
  }

  private long state(int field) {
    byte[] bytes = state.get(STATE);
    return bytes == null ? 0 : ByteBuffer.wrap(bytes).getLong(field * Long.BYTES);
  }

  private void putState(long head, long oldest, long epoch) {
    ByteBuffer bytes = ByteBuffer.allocate(3 * Long.BYTES);
    state.put(STATE, bytes.putLong(head).putLong(oldest).putLong(epoch).array());
  }

  /** The newest revision, of a write that is not committed yet, too. */
  long head() {
    return state(0);
  }

  long oldest() {
    return state(1);
  }

  /** The epoch; a random one if the file has none yet. */
  long epoch() {
    return state.containsKey(STATE)
        ? state(2)
        : ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
  }

  /** After the newest states were lost, numbers will be given a second time. */
  void renewEpoch() {
    putState(head(), oldest(), ThreadLocalRandom.current().nextLong(Long.MAX_VALUE));
  }

  private static byte[] number(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private long serial(byte[] key) {
    byte[] serial = serials.get(key);
    return serial == null ? 0 : ByteBuffer.wrap(serial).getLong();
  }

  private static byte[] versionKey(byte[] key, long end) {
    return ByteBuffer.allocate(Integer.BYTES + key.length + Long.BYTES)
        .putInt(key.length)
        .put(key)
        .putLong(end)
        .array();
  }

  /** The revision that ended a version; 0 if it is one of another key. */
  private static long end(byte[] version, byte[] key) {
    int rest = version.length - Long.BYTES;
    return rest == Integer.BYTES + key.length
            && Arrays.equals(version, Integer.BYTES, rest, key, 0, key.length)
        ? ByteBuffer.wrap(version).getLong(rest)
        : 0;
  }

  /**
   * The object as of a revision that is committed; null if the revision was forgotten. A next
   * serial may be that of a write that is not committed yet.
   */
  @Nullable Revision<byte[]> at(byte[] key, long at) {
    while (true) {
      long serial = serial(key);
      Revision<byte[]> found =
          serial <= at
              ? new Revision<>(objects.get(key), serial, Revision.NO_NEXT)
              : version(key, at);
      // A write in between may have replaced the object, or forgotten the version.
      if (serial != serial(key)) {
        continue;
      }
      long oldest = oldest();
      if (at < oldest) {
        return null;
      }
      return found.isAbsent() && found.serial() < oldest
          ? new Revision<>(null, oldest, found.nextSerial())
          : found;
    }
  }

  private Revision<byte[]> version(byte[] key, long at) {
    byte[] first = versions.ceilingKey(versionKey(key, at + 1));
    long end = first == null ? 0 : end(first, key);
    byte[] version = end == 0 ? null : versions.get(first);
    if (version == null) {
      return new Revision<>(null, 0, Revision.NEXT_UNKNOWN); // forgotten, as the oldest one tells
    }
    boolean present = version[Long.BYTES] != 0;
    return new Revision<>(
        present ? Arrays.copyOfRange(version, Long.BYTES + 1, version.length) : null,
        ByteBuffer.wrap(version).getLong(),
        end);
  }

  /** The keys that a revision changed; null if that was forgotten. */
  @Nullable List<byte[]> keys(long revision) {
    byte[] entry = log.get(number(revision));
    if (entry == null) {
      return null;
    }
    List<byte[]> keys = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(entry);
    while (bytes.hasRemaining()) {
      byte[] key = new byte[bytes.getInt()];
      bytes.get(key);
      keys.add(key);
    }
    return keys;
  }

  /** The keys of all objects. */
  List<byte[]> allKeys() {
    List<byte[]> keys = new ArrayList<>();
    objects.keyIterator(null).forEachRemaining(keys::add);
    return keys;
  }

  /** Makes the changes as the next revision, without committing it, unless there is a conflict. */
  Applied apply(List<Change.Entry> entries, long base, long epoch, int history) {
    long head = head();
    long oldest = oldest();
    List<byte[]> conflicts = new ArrayList<>(0);
    int logged = 0;
    for (Change.Entry entry : entries) {
      if (base != BLIND && serial(entry.key) > base) {
        conflicts.add(entry.key);
      }
      logged += Integer.BYTES + entry.key.length;
    }
    boolean baseForgotten = base != BLIND && base < oldest;
    if (entries.isEmpty() || !conflicts.isEmpty() || baseForgotten) {
      return new Applied(head, conflicts, baseForgotten);
    }
    long revision = head + 1;
    long forgotten = Math.max(oldest, Math.min(revision - history, oldest + FORGOTTEN_AT_ONCE));
    putState(revision, forgotten, epoch);
    ByteBuffer keys = ByteBuffer.allocate(logged);
    for (Change.Entry entry : entries) {
      keys.putInt(entry.key.length).put(entry.key);
      replace(entry, revision);
    }
    log.put(number(revision), keys.array());
    for (long old = oldest + 1; old <= forgotten; old++) {
      forget(old);
    }
    return new Applied(revision, List.of(), false);
  }

  /** Forgets all revisions but the head, without committing that. */
  void forgetAll() {
    if (log.isEmpty()) {
      return;
    }
    putState(head(), head(), state(2));
    List<byte[]> revisions = new ArrayList<>();
    log.keyIterator(null).forEachRemaining(revisions::add);
    for (byte[] revision : revisions) {
      forget(ByteBuffer.wrap(revision).getLong());
    }
  }

  private void replace(Change.Entry entry, long revision) {
    byte[] key = entry.key;
    long serial = serial(key);
    if (serial < revision) { // keys that differ may have the same bytes; the last one counts
      versions.put(versionKey(key, revision), encoded(objects.get(key), serial));
      serials.put(key, number(revision));
    }
    byte[] value = entry.value;
    if (value == null) {
      objects.remove(key);
    } else {
      objects.put(key, value);
    }
  }

  private static byte[] encoded(byte @Nullable [] value, long serial) {
    if (value == null) {
      return ByteBuffer.allocate(Long.BYTES + 1).putLong(serial).array();
    }
    return ByteBuffer.allocate(Long.BYTES + 1 + value.length)
        .putLong(serial)
        .put((byte) 1)
        .put(value)
        .array();
  }

  /** Forgets what a revision replaced. */
  private void forget(long revision) {
    List<byte[]> keys = keys(revision);
    if (keys == null) {
      return;
    }
    for (byte[] key : keys) {
      versions.remove(versionKey(key, revision));
      if (serial(key) == revision && !objects.containsKey(key)) {
        serials.remove(key);
      }
    }
    log.remove(number(revision));
  }
}

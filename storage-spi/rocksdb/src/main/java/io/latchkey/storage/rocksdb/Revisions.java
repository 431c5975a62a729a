package io.latchkey.storage.rocksdb;

import io.latchkey.storage.Revision;
import io.latchkey.storage.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The revisions of one set of objects, in three column families:
 *
 * <ul>
 *   <li>objects: the key → the revision that wrote or deleted it last, 1 if there is an object, the
 *       object. A deletion stays here until its revision is forgotten.
 *   <li>history: the length of the key, the key, the inverted revision that began a version → the
 *       revision that ended it, 1 if there was an object, the object. The length keeps the versions
 *       of a key together, whatever other keys begin with; inverted, the newest comes first. What
 *       came before the first version of a key is a version too, without object, begun by 0.
 *   <li>log: the revision → for each key changed, its length, the revision that began the version
 *       replaced, and the key. Under the empty key: the state.
 * </ul>
 *
 * <p>Numbers are big-endian, so that they sort. A commit is one batch with all of that. Writers
 * hold a lock; readers none: a batch is visible as a whole, so who finds an object that is too new
 * finds what it replaced in the history, and who finds too little finds by {@link #oldest} that it
 * was forgotten meanwhile, because that is moved before anything is deleted.
 */
final class Revisions {
  /** The base of a write that overwrites whatever is there. */
  static final long BLIND = -1;

  private static final int OBJECTS = 0;
  private static final int HISTORY = 1;
  private static final int LOG = 2;

  private static final byte[] STATE = {};

  /** The bytes before an object, here and in the history: a revision and whether there is one. */
  private static final int HEADER = Long.BYTES + 1;

  /** How many revisions are forgotten together, so that a commit has to only now and then. */
  private static final int PORTION = 64;

  /** How many are at most, so that a shorter history than before stops no commit for long. */
  private static final int MOST_AT_ONCE = 4 * PORTION;

  /** After how many keys no further revision is forgotten at once. */
  private static final int MOST_KEYS_AT_ONCE = 10_000;

  private final Database database;
  private final int kept;
  private final long epoch;
  private final ReentrantLock writing = new ReentrantLock();

  /** The newest revision; written under the lock after its batch. */
  private volatile long head;

  /** The oldest revision that can be read; written under the lock before the batch that forgets. */
  private volatile long oldest;

  /** Up to which revision history and log were deleted; guarded by the lock. */
  private long pruned;

  /** What became of a write: its revision, or why there is none. */
  record Applied(long revision, List<byte[]> conflicts, boolean baseForgotten) {}

  /** Told of a commit, in the order of the revisions, under the lock. */
  interface Committed {
    void committed(long revision, List<byte[]> keys);
  }

  private final Committed committed;

  private Revisions(
      Database database, int kept, long epoch, ByteBuffer state, Committed committed) {
    this.database = database;
    this.kept = kept;
    this.epoch = epoch;
    this.head = state.getLong();
    this.oldest = state.getLong();
    this.pruned = state.getLong();
    this.committed = committed;
  }

  /** The names of the column families, in the order of the constants above. */
  static List<String> families(String name) {
    return List.of(name, name + ":history", name + ":log");
  }

  /**
   * Reads the state. The epoch is another one after every end without a close: the last commits may
   * be lost to a power failure, and their numbers are given again.
   */
  static Revisions open(Database database, int kept, Committed committed, String name)
      throws StorageException {
    byte[] bytes = database.get(LOG, STATE);
    if (bytes != null && bytes.length != 4 * Long.BYTES + 1) {
      throw Failures.damaged(name, "its state has " + bytes.length + " bytes", null);
    }
    ByteBuffer state = ByteBuffer.wrap(bytes == null ? new byte[4 * Long.BYTES + 1] : bytes);
    boolean wasClosed = state.get(4 * Long.BYTES) != 0;
    long epoch =
        wasClosed
            ? state.getLong(3 * Long.BYTES)
            : ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
    Revisions revisions = new Revisions(database, kept, epoch, state, committed);
    // On the disk before the first commit, so that a power failure cannot leave the mark of a close
    // after commits that are lost.
    database.write(batch -> batch.put(LOG, STATE, revisions.state(false)), true);
    return revisions;
  }

  /** Marks the end, as far as the disk takes it; without the mark the next epoch is a new one. */
  void end() throws StorageException {
    writing.lock();
    try {
      database.write(batch -> batch.put(LOG, STATE, state(true)), true);
    } finally {
      writing.unlock();
    }
  }

  private byte[] state(boolean closed) {
    return state(head, oldest, pruned, closed);
  }

  private byte[] state(long newHead, long newOldest, long newPruned, boolean closed) {
    return ByteBuffer.allocate(4 * Long.BYTES + 1)
        .putLong(newHead)
        .putLong(newOldest)
        .putLong(newPruned)
        .putLong(epoch)
        .put((byte) (closed ? 1 : 0))
        .array();
  }

  long epoch() {
    return epoch;
  }

  long head() {
    return head;
  }

  long oldest() {
    return oldest;
  }

  /** The current object; null if there is none. */
  byte @Nullable [] current(byte[] key) throws StorageException {
    return value(database.get(OBJECTS, key));
  }

  /** The current objects; null stands for those that there are not. */
  List<byte @Nullable []> current(List<byte[]> keys) throws StorageException {
    List<byte @Nullable []> found = new ArrayList<>(keys.size());
    for (byte[] object : database.getAll(OBJECTS, keys)) {
      found.add(value(object));
    }
    return found;
  }

  private static byte @Nullable [] value(byte @Nullable [] entry) {
    return entry == null || entry[HEADER - 1] == 0
        ? null
        : Arrays.copyOfRange(entry, HEADER, entry.length);
  }

  private static long number(byte @Nullable [] entry) {
    return entry == null ? 0 : ByteBuffer.wrap(entry).getLong();
  }

  private static byte[] entry(long number, byte @Nullable [] value) {
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + (value == null ? 0 : value.length));
    bytes.putLong(number);
    if (value == null) {
      bytes.put((byte) 0);
    } else {
      bytes.put((byte) 1).put(value);
    }
    return bytes.array();
  }

  /** The objects as of a revision, not above the head; null if that was forgotten. */
  @Nullable List<Revision<byte[]>> at(List<byte[]> keys, long at) throws StorageException {
    List<byte @Nullable []> objects =
        keys.size() == 1
            ? Arrays.asList(new byte[][] {database.get(OBJECTS, keys.get(0))})
            : database.getAll(OBJECTS, keys);
    List<Revision<byte[]>> found = new ArrayList<>(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      byte @Nullable [] object = objects.get(i);
      long serial = number(object);
      found.add(
          serial <= at
              ? new Revision<>(value(object), serial, Revision.NO_NEXT)
              : version(keys.get(i), at));
    }
    long top = head;
    long bottom = oldest; // after the reads: what they missed was below it by then
    if (at < bottom) {
      return null;
    }
    found.replaceAll(
        one ->
            new Revision<>(
                one.value(),
                // A deletion of before may be forgotten the next time.
                one.isAbsent() ? Math.max(one.serial(), bottom) : one.serial(),
                // The next one may be on its way to become the head.
                one.nextSerial() > top ? Revision.NO_NEXT : one.nextSerial()));
    return found;
  }

  private Revision<byte[]> version(byte[] key, long at) throws StorageException {
    Database.Entry entry = database.ceiling(HISTORY, versionKey(key, at));
    int rest = Integer.BYTES + key.length;
    if (entry == null
        || entry.key().length != rest + Long.BYTES
        || !Arrays.equals(entry.key(), 0, rest, versionKey(key, at), 0, rest)) {
      return new Revision<>(null, 0, Revision.NEXT_UNKNOWN); // forgotten, as the oldest one tells
    }
    long begin = ~ByteBuffer.wrap(entry.key()).getLong(rest);
    return new Revision<>(value(entry.value()), begin, number(entry.value()));
  }

  private static byte[] versionKey(byte[] key, long begin) {
    return ByteBuffer.allocate(Integer.BYTES + key.length + Long.BYTES)
        .putInt(key.length)
        .put(key)
        .putLong(~begin)
        .array();
  }

  private static byte[] logKey(long revision) {
    return ByteBuffer.allocate(Long.BYTES).putLong(revision).array();
  }

  /** What a commit replaced: a key, and the revision that began its version of before. */
  private record Replaced(byte[] key, long begin) {
    ByteBuffer wrapped() {
      return ByteBuffer.wrap(key);
    }
  }

  private static List<Replaced> replaced(byte[] entry) {
    List<Replaced> all = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(entry);
    while (bytes.hasRemaining()) {
      byte[] key = new byte[bytes.getInt()];
      long begin = bytes.getLong();
      bytes.get(key);
      all.add(new Replaced(key, begin));
    }
    return all;
  }

  private static byte[] logEntry(List<Replaced> all) {
    int size = 0;
    for (Replaced one : all) {
      size += Integer.BYTES + Long.BYTES + one.key.length;
    }
    ByteBuffer bytes = ByteBuffer.allocate(size);
    for (Replaced one : all) {
      bytes.putInt(one.key.length).putLong(one.begin).put(one.key);
    }
    return bytes.array();
  }

  /** The keys that a revision changed; null if that was forgotten. */
  @Nullable List<byte[]> keys(long revision) throws StorageException {
    byte[] entry = database.get(LOG, logKey(revision));
    return entry == null || revision <= oldest
        ? null
        : replaced(entry).stream().map(Replaced::key).toList();
  }

  /**
   * Makes the changes as the next revision, unless there is a conflict; null deletes. The keys wrap
   * their whole arrays.
   */
  @SuppressWarnings("ByteBufferBackingArray") // they wrap their whole arrays
  Applied apply(Map<ByteBuffer, byte @Nullable []> changes, long base) throws StorageException {
    writing.lock();
    try {
      List<byte[]> keys = new ArrayList<>(changes.size());
      for (ByteBuffer key : changes.keySet()) {
        keys.add(key.array());
      }
      List<byte @Nullable []> before = database.getAll(OBJECTS, keys);
      List<byte[]> conflicts = new ArrayList<>(0);
      for (int i = 0; i < keys.size(); i++) {
        if (base != BLIND && number(before.get(i)) > base) {
          conflicts.add(keys.get(i));
        }
      }
      boolean baseForgotten = base != BLIND && base < oldest;
      if (keys.isEmpty() || baseForgotten || !conflicts.isEmpty()) {
        return new Applied(head, conflicts, baseForgotten);
      }
      long revision = head + 1;
      commit(revision, keys, new ArrayList<>(changes.values()), before);
      committed.committed(revision, keys);
      return new Applied(revision, List.of(), false);
    } finally {
      writing.unlock();
    }
  }

  private void commit(
      long revision,
      List<byte[]> keys,
      List<byte @Nullable []> values,
      List<byte @Nullable []> before)
      throws StorageException {
    assert writing.isHeldByCurrentThread();
    long oldOldest = oldest;
    long newOldest = Math.max(oldOldest, revision - kept);
    List<Forgotten> forgotten = due(newOldest, keys);
    long reached = pruned + forgotten.size();
    // Without history nothing old is written once nothing old is there.
    boolean lean = kept == 0 && reached == head;
    long newPruned = lean ? revision : reached;
    boolean written = false;
    oldest = newOldest;
    try {
      database.write(
          batch -> {
            batch.put(LOG, STATE, state(revision, newOldest, newPruned, false));
            List<Replaced> replaced = new ArrayList<>(keys.size());
            for (int i = 0; i < keys.size(); i++) {
              byte[] key = keys.get(i);
              byte @Nullable [] old = before.get(i);
              byte @Nullable [] value = values.get(i);
              replaced.add(new Replaced(key, number(old)));
              if (!lean) {
                batch.put(HISTORY, versionKey(key, number(old)), entry(revision, value(old)));
              }
              if (lean && value == null) {
                batch.delete(OBJECTS, key);
              } else {
                batch.put(OBJECTS, key, entry(revision, value));
              }
            }
            if (!lean) {
              batch.put(LOG, logKey(revision), logEntry(replaced));
            }
            for (Forgotten one : forgotten) {
              one.delete(batch);
            }
          },
          false);
      written = true;
    } finally {
      if (!written) {
        oldest = oldOldest;
      }
    }
    pruned = newPruned;
    head = revision;
  }

  /** A revision whose traces are deleted, and the keys whose deletion was its doing. */
  private record Forgotten(long revision, List<Replaced> replaced, List<byte[]> deletions) {
    void delete(Database.Batch batch) throws RocksDBException {
      for (Replaced one : replaced) {
        batch.deleteOnce(HISTORY, versionKey(one.key, one.begin));
      }
      for (byte[] key : deletions) {
        batch.delete(OBJECTS, key);
      }
      batch.deleteOnce(LOG, logKey(revision));
    }
  }

  /** The next revisions to forget, none until they are enough to be worth it. */
  private List<Forgotten> due(long newOldest, List<byte[]> changing) throws StorageException {
    long due = Math.min(newOldest, head);
    if (due - pruned < Math.min(PORTION, kept + 1L)) {
      return List.of();
    }
    Set<ByteBuffer> changed = new HashSet<>();
    changing.forEach(key -> changed.add(ByteBuffer.wrap(key)));
    List<Forgotten> forgotten = new ArrayList<>();
    int count = 0;
    for (long old = pruned + 1;
        old <= due && forgotten.size() < MOST_AT_ONCE && count < MOST_KEYS_AT_ONCE;
        old++) {
      byte[] log = database.get(LOG, logKey(old));
      List<Replaced> replaced = log == null ? List.of() : replaced(log);
      List<byte[]> deletions = new ArrayList<>();
      for (Replaced one : replaced) {
        byte[] object = database.get(OBJECTS, one.key);
        // What the batch itself writes must not be deleted by it.
        if (number(object) == old && value(object) == null && !changed.contains(one.wrapped())) {
          deletions.add(one.key);
        }
      }
      forgotten.add(new Forgotten(old, replaced, deletions));
      count += replaced.size();
    }
    return forgotten;
  }
}

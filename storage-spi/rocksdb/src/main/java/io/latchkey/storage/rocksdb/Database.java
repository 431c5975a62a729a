package io.latchkey.storage.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.storage.StorageException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * An open RocksDB and what the native code keeps for it. A handle that is used after it was closed
 * ends the whole process, so every use of one happens inside a call that holds the guard shared,
 * and closing holds it alone: it waits for the calls under way, and later ones find the database
 * closed. No code of users runs under the guard.
 */
final class Database {
  /** How many bits of a filter tell, for a key, that a file does not have it. */
  private static final double FILTER_BITS = 10;

  private static final long MEGABYTE = 1 << 20;

  /** How large RocksDB's own log of events gets, and how many of them are kept. */
  private static final long EVENT_LOG_BYTES = MEGABYTE;

  private static final int EVENT_LOGS = 2;

  private final ReentrantReadWriteLock guard = new ReentrantReadWriteLock();
  private final String name;

  /** What is to be closed, the last one first; guarded by the guard, alone. */
  private final Deque<AutoCloseable> natives;

  private final RocksDB db;
  private final WriteOptions writing;
  private final ReadOptions reading;
  private final List<ColumnFamilyHandle> families;

  /** Written with the guard held alone, read with it held shared. */
  private boolean closed;

  private Database(String name, Opening opening, RocksDB db) {
    this.name = name;
    this.natives = opening.natives;
    this.db = db;
    this.families = opening.wanted();
    this.writing = opening.own(new WriteOptions().setSync(opening.options.sync()));
    this.reading = opening.own(new ReadOptions());
  }

  /** What is made on the way to a database; all of it is closed if that does not come to be. */
  private static final class Opening {
    final Deque<AutoCloseable> natives = new ArrayDeque<>();
    final RocksOptions options;
    final List<String> names;
    final List<ColumnFamilyHandle> handles = new ArrayList<>();

    Opening(RocksOptions options, List<String> names) {
      this.options = options;
      this.names = names;
    }

    <T extends AutoCloseable> T own(T object) {
      natives.push(object);
      return object;
    }

    /** The families asked for are the first ones, after RocksDB's own. */
    List<ColumnFamilyHandle> wanted() {
      return handles.subList(1, handles.size());
    }

    RocksDB open(Path folder) throws RocksDBException {
      Set<String> all = new LinkedHashSet<>();
      all.add(new String(RocksDB.DEFAULT_COLUMN_FAMILY, UTF_8));
      all.addAll(names);
      try (Options plain = new Options()) {
        // All that there are have to be opened.
        for (byte[] found : RocksDB.listColumnFamilies(plain, folder.toString())) {
          all.add(new String(found, UTF_8));
        }
      }
      ColumnFamilyOptions family = familyOptions();
      List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
      for (String one : all) {
        descriptors.add(new ColumnFamilyDescriptor(one.getBytes(UTF_8), family));
      }
      RocksDB db = own(RocksDB.open(dbOptions(), folder.toString(), descriptors, handles));
      handles.forEach(this::own);
      return db;
    }

    private ColumnFamilyOptions familyOptions() {
      BlockBasedTableConfig table =
          new BlockBasedTableConfig()
              .setBlockCache(own(new LRUCache(options.cacheMegabytes() * MEGABYTE)))
              .setFilterPolicy(own(new BloomFilter(FILTER_BITS)))
              // So that the bound of the cache holds for all that grows with the data.
              .setCacheIndexAndFilterBlocks(true)
              .setPinL0FilterAndIndexBlocksInCache(true);
      return own(new ColumnFamilyOptions())
          .setTableFormatConfig(table)
          .setWriteBufferSize(options.writeBufferMegabytes() * MEGABYTE)
          .setCompressionType(CompressionType.LZ4_COMPRESSION);
    }

    private DBOptions dbOptions() {
      return own(new DBOptions())
          .setCreateIfMissing(true)
          .setCreateMissingColumnFamilies(true)
          // A record cut off at the end of the log was never acknowledged; any other is damage,
          // and must not cut off what stands behind it.
          .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
          .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
          .setMaxLogFileSize(EVENT_LOG_BYTES)
          .setKeepLogFileNum(EVENT_LOGS);
    }

    void abandon() {
      closeAll(natives);
    }
  }

  /**
   * Opens the folder, which was looked at before.
   *
   * @param families the column families, made when missing; other calls name them by their place
   */
  static Database open(Path folder, String name, RocksOptions options, List<String> families)
      throws StorageException {
    Opening opening = new Opening(options, families);
    boolean opened = false;
    try {
      Database database = new Database(name, opening, opening.open(folder));
      opened = true;
      return database;
    } catch (RocksDBException e) {
      throw Failures.opening(name, e);
    } finally {
      if (!opened) {
        opening.abandon();
      }
    }
  }

  /** Loads the native code, which comes in RocksDB's jar. */
  static void loadLibrary(String name) throws StorageException {
    try {
      RocksDB.loadLibrary();
    } catch (RuntimeException | LinkageError e) {
      throw new StorageException(
          name,
          "cannot open "
              + name
              + ": the native library of RocksDB cannot be loaded on "
              + System.getProperty("os.name")
              + " "
              + System.getProperty("os.arch")
              + ": "
              + StorageException.reason(e)
              + ". Put the rocksdbjni jar for this system on the class path, or name the folder of"
              + " the library in the environment variable ROCKSDB_SHAREDLIB_DIR",
          e,
          false);
    }
  }

  private void enter() throws StorageException {
    guard.readLock().lock();
    if (closed) {
      guard.readLock().unlock();
      throw new StorageException(name, name + " is closed: open it again", null, false);
    }
  }

  void checkOpen() throws StorageException {
    enter();
    guard.readLock().unlock();
  }

  byte @Nullable [] get(int family, byte[] key) throws StorageException {
    enter();
    try {
      return db.get(families.get(family), reading, key);
    } catch (RocksDBException e) {
      throw Failures.failed(name, "read from", e);
    } finally {
      guard.readLock().unlock();
    }
  }

  /** Gets many in one call; null stands for those that there are not. */
  List<byte @Nullable []> getAll(int family, List<byte[]> keys) throws StorageException {
    enter();
    try {
      return db.multiGetAsList(
          reading, Collections.nCopies(keys.size(), families.get(family)), keys);
    } catch (RocksDBException e) {
      throw Failures.failed(name, "read from", e);
    } finally {
      guard.readLock().unlock();
    }
  }

  record Entry(byte[] key, byte[] value) {}

  /** The first entry at or after a key; null if there is none. */
  @Nullable Entry ceiling(int family, byte[] key) throws StorageException {
    enter();
    try (RocksIterator iterator = db.newIterator(families.get(family), reading)) {
      iterator.seek(key);
      if (iterator.isValid()) {
        return new Entry(iterator.key(), iterator.value());
      }
      iterator.status();
      return null;
    } catch (RocksDBException e) {
      throw Failures.failed(name, "read from", e);
    } finally {
      guard.readLock().unlock();
    }
  }

  /** Fills a batch. */
  interface Filling {
    void fill(Batch batch) throws RocksDBException;
  }

  /** Changes that are made together or not at all. */
  final class Batch {
    private final WriteBatch batch;

    private Batch(WriteBatch batch) {
      this.batch = batch;
    }

    void put(int family, byte[] key, byte[] value) throws RocksDBException {
      batch.put(families.get(family), key, value);
    }

    void delete(int family, byte[] key) throws RocksDBException {
      batch.delete(families.get(family), key);
    }

    /**
     * Deletes what was put once since it was deleted last: the put and the deletion then vanish
     * when they meet in a compaction, instead of a trace that stays to the lowest level.
     */
    void deleteOnce(int family, byte[] key) throws RocksDBException {
      batch.singleDelete(families.get(family), key);
    }
  }

  /** Makes all changes of a batch or none; with a sync the disk has it, whatever the options. */
  void write(Filling filling, boolean sync) throws StorageException {
    enter();
    try (WriteBatch batch = new WriteBatch()) {
      filling.fill(new Batch(batch));
      if (sync) {
        try (WriteOptions synced = new WriteOptions().setSync(true)) {
          db.write(synced, batch);
        }
      } else {
        db.write(writing, batch);
      }
    } catch (RocksDBException e) {
      throw Failures.failed(name, "write to", e);
    } finally {
      guard.readLock().unlock();
    }
  }

  /** Closes once; returns when it is closed, whoever began that. */
  void close() {
    guard.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        closeAll(natives);
      }
    } finally {
      guard.writeLock().unlock();
    }
  }

  /** Handles of families before the database, that before its options. */
  private static void closeAll(Deque<AutoCloseable> natives) {
    while (!natives.isEmpty()) {
      try {
        natives.pop().close();
      } catch (Exception e) {
        // The close of these types declares nothing, and none may keep the next from being closed.
        throw new IllegalStateException(e);
      }
    }
  }
}

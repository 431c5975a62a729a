package io.latchkey.storage.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** What cannot be opened is told clearly. */
class RefusalTest {
  private static final Codec<String> TEXT = Codec.utf8();

  @TempDir private Path directory;
  private Path folder;

  @BeforeEach
  void nameTheFolder() {
    folder = directory.resolve("objects");
  }

  private static RocksStorage<String, String> open(Path path) throws StorageException {
    return RocksStorage.open(path, TEXT, TEXT);
  }

  private static AbstractThrowableAssert<?, ?> assertRefused(Path path) {
    return assertThatThrownBy(() -> open(path).close())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("rocksdb:" + path);
  }

  private AbstractThrowableAssert<?, ?> assertRefusedUntouched() throws Exception {
    Map<String, String> before = contents();
    AbstractThrowableAssert<?, ?> refusal = assertRefused(folder);
    assertThat(contents()).isEqualTo(before);
    return refusal;
  }

  private Map<String, String> contents() throws Exception {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        all.put(file.getFileName().toString(), new String(Files.readAllBytes(file), UTF_8));
      }
    }
    return all;
  }

  /** Objects in files, not only in the log. */
  private void fill() throws Exception {
    RocksOptions small = RocksOptions.defaults().withWriteBufferMegabytes(1).withHistory(0);
    try (RocksStorage<String, String> storage = RocksStorage.open(folder, TEXT, TEXT, small)) {
      for (int i = 0; i < 3000; i++) {
        storage.store("key" + i, i + "-".repeat(1000));
      }
    }
  }

  /** The largest, which of data files is one with objects: others hold what an opening reads. */
  private Path file(Predicate<String> wanted) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> wanted.test(file.getFileName().toString()))
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  @Test
  void aFile() throws Exception {
    Files.writeString(folder, "hello");
    assertRefused(folder).hasMessageContaining("it is a file: name a folder");
    assertThat(folder).hasContent("hello");
  }

  @Test
  void aFolderInNone() {
    Path inNone = directory.resolve("none/objects");
    assertRefused(inNone)
        .hasMessageContaining(directory.resolve("none") + " is no folder: create that first");
    assertThat(directory.resolve("none")).doesNotExist();
  }

  @Test
  void aFolderOfSomethingElse() throws Exception {
    Files.createDirectory(folder);
    for (int i = 0; i < 5; i++) {
      Files.writeString(folder.resolve("letter" + i), "hello");
    }
    assertRefusedUntouched()
        .hasMessageContaining("it holds something else (letter0, letter1, letter2, …)");
  }

  @Test
  void aDatabaseOfAnotherProgram() throws Exception {
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, folder.toString())) {
      db.put(new byte[] {1}, new byte[] {2});
    }
    assertRefusedUntouched().hasMessageContaining("a RocksDB database of another program");
  }

  @Test
  void aFolderOfANewerVersion() throws Exception {
    open(folder).close();
    Files.writeString(folder.resolve("LATCHKEY"), "latchkey-storage-rocksdb 2\n");
    assertRefusedUntouched().hasMessageContaining("it is of a newer version of Latchkey");
  }

  @Test
  void aFolderThatThisProcessHasOpen() throws Exception {
    try (RocksStorage<String, String> first = open(folder)) {
      first.store("k", "v");
      assertRefused(folder)
          .hasMessageContaining("is open already")
          .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
      assertThat(first.load("k")).isEqualTo("v");
    }
    open(folder).close();
  }

  /** The child: holds the folder open until its input ends. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws Exception {
      try (RocksStorage<String, String> storage = open(Path.of(arguments[0]))) {
        storage.store("k", "v");
        System.out.println("open");
        while (System.in.read() >= 0) {}
      }
    }
  }

  @Test
  void aFolderThatAnotherProcessHasOpen() throws Exception {
    try (ChildJvm child = ChildJvm.start(Holder.class, folder.toString())) {
      assertThat(child.line()).isEqualTo("open");
      assertRefused(folder).hasMessageContaining("is open already");
      assertThat(child.finish()).isZero();
    }
    try (RocksStorage<String, String> storage = open(folder)) {
      assertThat(storage.load("k")).isEqualTo("v");
    }
  }

  private AbstractThrowableAssert<?, ?> assertDamaged() {
    return assertRefused(folder)
        .hasMessageContaining("is damaged")
        .hasMessageContaining("Restore the folder from a backup")
        .satisfies(e -> assertThat(((StorageException) e).retryable()).isFalse());
  }

  @Test
  void aMissingCurrentFile() throws Exception {
    fill();
    Files.delete(folder.resolve("CURRENT"));
    assertRefusedUntouched().hasMessageContaining("its file CURRENT is missing");
  }

  @Test
  void aBrokenCurrentFile() throws Exception {
    fill();
    Files.writeString(folder.resolve("CURRENT"), "nonsense");
    assertDamaged();
  }

  @Test
  void aBrokenManifest() throws Exception {
    fill();
    damage(file(name -> name.startsWith("MANIFEST")), 0.3);
    assertDamaged();
  }

  @Test
  void aMissingDataFile() throws Exception {
    fill();
    Files.delete(file(name -> name.endsWith(".sst")));
    assertDamaged();
  }

  @Test
  void aDataFileCutOff() throws Exception {
    fill();
    Path data = file(name -> name.endsWith(".sst"));
    byte[] bytes = Files.readAllBytes(data);
    Files.write(data, Arrays.copyOf(bytes, bytes.length / 2));
    assertDamaged();
  }

  @Test
  void aLogDamagedInTheMiddleIsNotCutOffThere() throws Exception {
    try (RocksStorage<String, String> storage = open(folder)) {
      for (int i = 0; i < 300; i++) {
        storage.store("key" + i, i + "-".repeat(1000));
      }
    }
    damage(file(name -> name.endsWith(".log")), 0.4);
    assertDamaged();
  }

  @Test
  void aDamagedBlockFailsTheLoadsThatNeedIt() throws Exception {
    fill();
    damage(file(name -> name.endsWith(".sst")), 0.3);
    int failed = 0;
    try (RocksStorage<String, String> storage = open(folder)) {
      for (int i = 0; i < 3000; i++) {
        try {
          assertThat(storage.load("key" + i)).startsWith(i + "-");
        } catch (StorageException e) {
          assertThat(e).hasMessageContaining("is damaged").hasMessageContaining(folder.toString());
          assertThat(e.retryable()).isFalse();
          failed++;
        }
      }
    }
    assertThat(failed).isBetween(1, 1000);
  }

  private static void damage(Path file, double where) throws Exception {
    byte[] bytes = Files.readAllBytes(file);
    int start = (int) (bytes.length * where);
    for (int i = start; i < start + 20; i++) {
      bytes[i] ^= 0x55;
    }
    Files.write(file, bytes);
  }

  @Test
  void badOptions() {
    RocksOptions options = RocksOptions.defaults();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withCacheMegabytes(0))
        .withMessage("cacheMegabytes is 0: give 1 to 65536");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withWriteBufferMegabytes(5000))
        .withMessage("writeBufferMegabytes is 5000: give 1 to 4096");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withHistory(-1))
        .withMessage("history is -1: give 0 to 2147483647");
    for (String name : new String[] {"", "a:b", "default", "a/b", "x".repeat(65)}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> options.withColumnFamily(name))
          .withMessage(
              "columnFamily is '" + name + "': give 1 to 64 letters, digits, '_', '-' or '.'");
    }
  }

  @Test
  void badParameters() {
    assertUrlRefused("?cacheMegabytes=lots", "cacheMegabytes is 'lots': give 1 to 65536");
    assertUrlRefused("?history=-1", "history is '-1': give 0 to 2147483647");
    assertUrlRefused("?columnFamily=a:b", "columnFamily is 'a:b': give 1 to 64 letters");
    assertUrlRefused("?sync=yes", "parameter sync is 'yes': write true or false");
    assertUrlRefused("?cache=1", "unknown parameter 'cache': rocksdb knows columnFamily, history");
    assertThat(folder).doesNotExist();
  }

  private void assertUrlRefused(String parameters, String message) {
    assertThatThrownBy(() -> Storages.open("rocksdb:" + folder + parameters, TEXT, TEXT))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot open rocksdb:" + folder)
        .hasMessageContaining(message);
  }
}

package io.latchkey.storage.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.ChildJvm;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.regex.Pattern;
import org.assertj.core.api.AbstractThrowableAssert;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What cannot be opened is told clearly and left as it is. */
class RefusalTest {
  private static final Codec<String> TEXT = Codec.utf8();

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = directory.resolve("objects.db");
  }

  private static MvStorage<String, String> open(Path path) throws StorageException {
    return MvStorage.open(path, TEXT, TEXT);
  }

  private static AbstractThrowableAssert<?, ?> assertRefused(Path path) {
    return assertThatThrownBy(() -> open(path).close())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(path.toString());
  }

  private AbstractThrowableAssert<?, ?> assertRefusedUntouched() throws Exception {
    byte[] before = Files.readAllBytes(file);
    AbstractThrowableAssert<?, ?> refusal = assertRefused(file);
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    return refusal;
  }

  private void fill(int objects) throws Exception {
    try (MvStorage<String, String> storage = open(file)) {
      for (int i = 0; i < objects; i++) {
        storage.store("key" + i, "value" + i + "-".repeat(500));
      }
    }
  }

  @Test
  void aDirectory() {
    assertRefused(directory).hasMessageContaining("is a directory: name a file in it");
  }

  @Test
  void aMissingDirectory() {
    assertRefused(directory.resolve("none/objects.db"))
        .hasMessageContaining("its directory " + directory.resolve("none") + " does not exist");
    assertThat(directory.resolve("none")).doesNotExist();
  }

  @Test
  void aDirectoryThatIsAFile() throws Exception {
    Files.createFile(file);
    assertRefused(file.resolve("objects.db")).hasMessageContaining("cannot create");
  }

  @Test
  void aDevice() {
    Path device = Path.of("/dev/null");
    assumeTrue(Files.exists(device));
    assertRefused(device).hasMessageContaining("is no regular file");
  }

  @Test
  void aFileWithoutPermission() throws Exception {
    fill(1);
    assumeTrue(file.toFile().setWritable(false));
    assumeFalse(Files.isWritable(file), "this user may write everywhere");
    assertRefusedUntouched().hasMessageContaining("check the permissions");
  }

  @Test
  void randomBytes() throws Exception {
    byte[] noise = new byte[50_000];
    new Random(1).nextBytes(noise);
    Files.write(file, noise);
    assertRefusedUntouched()
        .hasMessageContaining("is damaged, or no file of this storage")
        .hasMessageContaining("Restore it from a backup");
  }

  @Test
  void aShortFile() throws Exception {
    Files.writeString(file, "hello");
    assertRefusedUntouched().hasMessageContaining("is damaged, or no file of this storage");
  }

  @Test
  void aFileThatWasCutOff() throws Exception {
    fill(200);
    byte[] whole = Files.readAllBytes(file);
    int refused = 0;
    for (int length = whole.length - 1; length > 0; length -= 2777) {
      byte[] cut = Arrays.copyOf(whole, length);
      Files.write(file, cut);
      try (MvStorage<String, String> storage = open(file)) {
        // Only free space was cut off.
        assertWhole(storage);
      } catch (StorageException e) {
        assertThat(e).hasMessageContaining("is damaged").hasMessageContaining(file.toString());
        assertThat(Files.readAllBytes(file)).isEqualTo(cut);
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(10);
  }

  private static void assertWhole(MvStorage<String, String> storage) throws Exception {
    for (int i = 0; i < 200; i++) {
      assertThat(storage.load("key" + i)).startsWith("value" + i + "-");
    }
  }

  @Test
  void aFileWhoseStateOrHeaderIsOverwritten() throws Exception {
    fill(200);
    byte[] whole = Files.readAllBytes(file);
    byte[] noHeader = whole.clone();
    Arrays.fill(noHeader, 0, 8192, (byte) 0);
    Files.write(file, noHeader);
    assertRefusedUntouched().hasMessageContaining("is damaged");
    byte[] noChunks = whole.clone();
    Arrays.fill(noChunks, 8192, noChunks.length, (byte) 'x');
    Files.write(file, noChunks);
    assertRefusedUntouched().hasMessageContaining("is damaged");
  }

  @Test
  void aDamagedFileNeverGivesWrongObjects() throws Exception {
    fill(200);
    byte[] whole = Files.readAllBytes(file);
    Random random = new Random(5);
    int failed = 0;
    for (int round = 0; round < 60; round++) {
      byte[] damaged = whole.clone();
      byte[] noise = new byte[1 << random.nextInt(14)];
      int at = 8192 + random.nextInt(damaged.length - 8192 - noise.length);
      random.nextBytes(noise);
      System.arraycopy(noise, 0, damaged, at, noise.length);
      Files.write(file, damaged);
      try (MvStorage<String, String> storage = open(file)) {
        for (int i = 0; i < 200; i++) {
          try {
            assertThat(storage.load("key" + i)).startsWith("value" + i + "-");
          } catch (StorageException e) {
            assertThat(e).hasMessageContaining("is damaged").hasMessageContaining(file.toString());
            failed++;
          }
        }
      } catch (StorageException e) {
        assertThat(e).hasMessageContaining("is damaged");
        assertThat(Files.readAllBytes(file)).isEqualTo(damaged);
      }
    }
    assertThat(failed).as("loads that failed").isPositive();
  }

  /** The file as a kill would leave it, with the chunk that its header names overwritten. */
  private void loseTheLastCommit() throws Exception {
    Path copy = directory.resolve("copy.db");
    try (MvStorage<String, String> storage = open(file)) {
      for (int i = 0; i < 50; i++) {
        storage.store("key" + i % 5, "value" + i);
      }
      Files.copy(file, copy);
    }
    byte[] contents = Files.readAllBytes(copy);
    String header = new String(contents, 0, 8192, StandardCharsets.ISO_8859_1);
    int block =
        Pattern.compile("block:([0-9a-f]+).*version:([0-9a-f]+)")
            .matcher(header)
            .results()
            .max(Comparator.comparing(found -> Long.parseLong(found.group(2), 16)))
            .map(found -> Integer.parseInt(found.group(1), 16))
            .orElseThrow();
    Arrays.fill(contents, block * 4096, block * 4096 + 100, (byte) 'x');
    Files.write(file, contents);
  }

  @Test
  void aDamagedFileIsOpenedAtAnOlderStateWhenAsked() throws Exception {
    loseTheLastCommit();
    assertRefusedUntouched().hasMessageContaining("recover=true");
    try (Storage<String, String> storage =
        Storages.open("mvstore:" + file + "?recover=true", TEXT, TEXT)) {
      assertThat(storage.load("key3")).isEqualTo("value48");
      assertThat(storage.load("key4")).isEqualTo("value44");
      ((MvStorage<String, String>) storage).store("new", "1");
    }
    try (MvStorage<String, String> storage = open(file)) {
      assertThat(storage.load("new")).isEqualTo("1");
      assertThat(storage.load("key3")).isEqualTo("value48");
    }
  }

  @Test
  void aFileWithoutAnyWholeStateCannotBeRecovered() throws Exception {
    fill(200);
    byte[] whole = Files.readAllBytes(file);
    byte[] cut = Arrays.copyOf(whole, 12_000);
    Files.write(file, cut);
    assertThatThrownBy(
            () -> MvStorage.open(file, TEXT, TEXT, MvOptions.defaults().withRecover(true)))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(file + " cannot be recovered")
        .hasMessageContaining("Restore it from a backup");
    assertThat(Files.readAllBytes(file)).isEqualTo(cut);
  }

  @Test
  void aFileOfAnotherProgram() throws Exception {
    try (MVStore store = MVStore.open(file.toString())) {
      store.openMap("accounts").put("a", "b");
    }
    assertRefusedUntouched()
        .hasMessageContaining("is an MVStore file of another program, with the maps [accounts]");
  }

  @Test
  void aFileOfALaterVersion() throws Exception {
    fill(1);
    try (MVStore store = MVStore.open(file.toString())) {
      store.setStoreVersion(3);
    }
    assertRefusedUntouched().hasMessageContaining("has format 3").hasMessageContaining("newer");
  }

  @Test
  void aFileThatIsOpenInThisProcess() throws Exception {
    try (MvStorage<String, String> first = open(file)) {
      first.store("k", "v");
      Path link = Files.createSymbolicLink(directory.resolve("link.db"), file);
      for (Path path : new Path[] {file, directory.resolve("./objects.db"), link}) {
        assertRefused(path).hasMessageContaining("is open in this process already");
      }
      assertLockedForOthers();
      assertThat(first.load("k")).isEqualTo("v");
    }
    open(file).close();
  }

  /** The child: opens the file, says how that went, and keeps it open until its input ends. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws Exception {
      try (MvStorage<String, String> storage = open(Path.of(arguments[0]))) {
        storage.store("k", "child");
        System.out.println("open");
        System.in.transferTo(OutputStream.nullOutputStream());
      } catch (StorageException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  private void assertLockedForOthers() throws Exception {
    try (ChildJvm child = ChildJvm.start(Holder.class, file.toString())) {
      assertThat(child.line()).contains(file.toString(), "is locked by another process");
      assertThat(child.finish()).isZero();
    }
  }

  @Test
  void aFileThatAnotherProcessHasOpen() throws Exception {
    try (ChildJvm child = ChildJvm.start(Holder.class, file.toString())) {
      assertThat(child.line()).isEqualTo("open");
      assertRefusedUntouched()
          .hasMessageContaining("is locked by another process: close it there")
          .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
      assertThatThrownBy(() -> MVStore.open(file.toString())).hasMessageContaining("locked");
      assertThat(child.finish()).isZero();
    }
    try (MvStorage<String, String> storage = open(file)) {
      assertThat(storage.load("k")).isEqualTo("child");
      assertThatThrownBy(() -> MVStore.open(file.toString())).hasMessageContaining("locked");
    }
  }

  @Test
  void badUrls() {
    for (String url :
        new String[] {
          "mvstore:",
          "mvstore://host/x.db",
          "mvstore:x.db?synk=true",
          "mvstore:x.db?sync=yes",
          "mvstore:x.db?cacheMegabytes=-1",
          "mvstore:x.db?cacheMegabytes=lots",
          "mvstore:x.db?history=-1",
          "mvstore:x.db?history=all"
        }) {
      assertThatThrownBy(() -> Storages.open(url, TEXT, TEXT).close())
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("cannot open mvstore:");
    }
    assertThat(Path.of("x.db")).doesNotExist();
  }

  @Test
  void nulls() {
    assertThatNullPointerException().isThrownBy(() -> open(null)).withMessage("file");
    assertThatNullPointerException()
        .isThrownBy(() -> MvStorage.open(file, null, TEXT))
        .withMessage("keys");
    assertThatNullPointerException()
        .isThrownBy(() -> MvStorage.open(file, TEXT, null))
        .withMessage("values");
    assertThatNullPointerException()
        .isThrownBy(() -> MvStorage.open(file, TEXT, TEXT, null))
        .withMessage("options");
    assertThat(file).doesNotExist();
  }
}

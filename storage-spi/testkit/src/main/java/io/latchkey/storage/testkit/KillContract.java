package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills processes that write, and looks for everything that they had acknowledged: a test for
 * authors of storages whose objects survive the end of the process, which are writable and opened
 * by URL. If they are storages of revisions the history is looked at, too.
 *
 * <pre>{@code
 * class KilledProcessTest extends KillContract {
 *   @Override
 *   protected String url(Path folder) {
 *     return "mvstore:" + folder.resolve("killed.db");
 *   }
 * }
 * }</pre>
 */
@Timeout(300)
public abstract class KillContract {
  private static final int ROUNDS = 4;
  private static final int ACKNOWLEDGEMENTS = 1000;
  private static final int THREADS = 4;
  private static final int KEYS = 100;

  /** For the suites of backends. */
  protected KillContract() {}

  /**
   * The storage, which begins without objects.
   *
   * @param folder an empty folder for its files
   * @return its URL, always the same for a folder
   */
  protected abstract String url(Path folder);

  /** The child: each thread makes its operations one by one and says so after each. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) throws Exception {
      WritableStorage<String, String> storage = open(arguments[0]);
      for (int t = 0; t < THREADS; t++) {
        Operations operations = new Operations(arguments[1] + "/" + t);
        int thread = t;
        Thread running =
            new Thread(
                () -> {
                  for (int i = 0; true; i++) {
                    operations.run(storage, i);
                    // One write to the pipe, so that lines of threads do not mix.
                    System.out.print(thread + " " + i + "\n");
                    System.out.flush();
                  }
                });
        running.start();
      }
    }
  }

  /** What a thread does, and what its keys hold after so many operations. */
  private record Operations(String prefix) {
    private static boolean isDelete(int number) {
      return number % 5 == 4;
    }

    private String key(int number) {
      return prefix + "/" + (number * 7) % KEYS;
    }

    private String value(int number) {
      return number + ":" + "x".repeat((number * 131) % 2000);
    }

    void run(WritableStorage<String, String> storage, int number) {
      try {
        if (isDelete(number)) {
          storage.delete(key(number - 30));
        } else if (number % 9 == 3) {
          storeTwo(storage, key(number), key(number + 50), value(number));
        } else {
          storage.store(key(number), value(number));
        }
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    private static void storeTwo(
        WritableStorage<String, String> storage, String one, String other, String value)
        throws Exception {
      if (storage instanceof RevisionStorage) {
        RevisionStorage<String, String> revisions = (RevisionStorage<String, String>) storage;
        Optional<String> both = Optional.of(value);
        revisions.commit(Map.of(one, both, other, both), revisions.head());
      } else {
        storage.storeAll(Map.of(one, value, other, value));
      }
    }

    Map<String, String> after(int count) {
      Map<String, String> contents = new HashMap<>();
      for (int i = 0; i < count; i++) {
        if (isDelete(i)) {
          contents.remove(key(i - 30));
        } else {
          contents.put(key(i), value(i));
          if (i % 9 == 3) {
            contents.put(key(i + 50), value(i));
          }
        }
      }
      return contents;
    }

    Map<String, String> found(WritableStorage<String, String> storage) throws Exception {
      Map<String, String> contents = new HashMap<>();
      for (int i = -KEYS; i < KEYS; i++) {
        String value = storage.load(key(i));
        if (storage instanceof RevisionStorage) {
          RevisionStorage<String, String> revisions = (RevisionStorage<String, String>) storage;
          assertThat(revisions.loadAt(key(i), revisions.head()).value()).isEqualTo(value);
        }
        if (value != null) {
          contents.put(key(i), value);
        }
      }
      return contents;
    }
  }

  private static WritableStorage<String, String> open(String url) throws Exception {
    return (WritableStorage<String, String>)
        Storages.<String, String>open(url, Codec.utf8(), Codec.utf8());
  }

  /** The last commits are told without holes, and each can be read. */
  private static void assertHistory(RevisionStorage<String, String> storage) throws Exception {
    CommitRecorder<String> recorder = new CommitRecorder<>(Duration.ofSeconds(30));
    long head = storage.head();
    storage.commits(head - 50, recorder).close();
    recorder.awaitRevision(head);
    assertThat(recorder.commits()).hasSize(50);
    for (Map.Entry<Long, Set<String>> commit : recorder.commits().entrySet()) {
      for (String key : commit.getValue()) {
        assertThat(storage.loadAt(key, commit.getKey()).serial()).isEqualTo(commit.getKey());
        assertThat(storage.loadAt(key, commit.getKey() - 1).nextSerial())
            .isEqualTo(commit.getKey());
      }
    }
  }

  /**
   * The test.
   *
   * @param folder a folder for the storage's files
   * @throws Exception if it fails
   */
  @Test
  public final void everythingAcknowledgedSurvivesAKill(@TempDir Path folder) throws Exception {
    String url = url(folder);
    Map<Operations, Map<String, String>> past = new LinkedHashMap<>();
    long total = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int[] acknowledged = new int[THREADS];
      try (ChildJvm child = ChildJvm.start(Writer.class, url, Integer.toString(round))) {
        int lines = 0;
        for (String line = child.line(); line != null; line = child.line()) {
          int blank = line.indexOf(' ');
          int thread = Integer.parseInt(line.substring(0, blank));
          assertThat(Integer.parseInt(line.substring(blank + 1))).isEqualTo(acknowledged[thread]++);
          if (++lines == ACKNOWLEDGEMENTS + 77 * round) {
            // What is in the pipe by then was acknowledged too, so the reading goes on.
            child.kill();
          }
        }
        assertThat(lines).isGreaterThanOrEqualTo(ACKNOWLEDGEMENTS);
      }
      try (WritableStorage<String, String> storage = open(url)) {
        total += IntStream.of(acknowledged).sum();
        if (storage instanceof RevisionStorage) {
          RevisionStorage<String, String> revisions = (RevisionStorage<String, String>) storage;
          assertThat(revisions.head()).isBetween(total, total + (round + 1L) * THREADS);
          assertHistory(revisions);
        }
        for (int t = 0; t < THREADS; t++) {
          Operations operations = new Operations(round + "/" + t);
          Map<String, String> found = operations.found(storage);
          assertThat(found)
              .as("round %d, thread %d, %d acknowledged", round, t, acknowledged[t])
              .isIn(operations.after(acknowledged[t]), operations.after(acknowledged[t] + 1));
          past.put(operations, found);
        }
        for (Map.Entry<Operations, Map<String, String>> earlier : past.entrySet()) {
          assertThat(earlier.getKey().found(storage)).isEqualTo(earlier.getValue());
        }
      }
    }
  }
}

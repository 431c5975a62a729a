package io.latchkey.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.testkit.CommitRecorder;
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

/** Kills processes that write, and looks for everything that they had acknowledged. */
@Timeout(300)
class KilledProcessTest {
  private static final int ROUNDS = 4;
  private static final int ACKNOWLEDGEMENTS = 1000;
  private static final int THREADS = 4;
  private static final int KEYS = 100;

  /** The child: each thread makes its operations one by one and says so after each. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) throws Exception {
      RocksStorage<String, String> storage = open(Path.of(arguments[0]));
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

    void run(RocksStorage<String, String> storage, int number) {
      try {
        if (isDelete(number)) {
          storage.delete(key(number - 30));
        } else if (number % 9 == 3) {
          Optional<String> value = Optional.of(value(number));
          storage.commit(Map.of(key(number), value, key(number + 50), value), storage.head());
        } else {
          storage.store(key(number), value(number));
        }
      } catch (Exception e) {
        throw new AssertionError(e);
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

    Map<String, String> found(RocksStorage<String, String> storage) throws Exception {
      Map<String, String> contents = new HashMap<>();
      for (int i = -KEYS; i < KEYS; i++) {
        String value = storage.load(key(i));
        assertThat(storage.loadAt(key(i), storage.head()).value()).isEqualTo(value);
        if (value != null) {
          contents.put(key(i), value);
        }
      }
      return contents;
    }
  }

  private static RocksStorage<String, String> open(Path file) throws Exception {
    return RocksStorage.open(file, Codec.utf8(), Codec.utf8());
  }

  /** The last commits are told without holes, and each can be read. */
  private static void assertHistory(RocksStorage<String, String> storage) throws Exception {
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

  @Test
  void everythingAcknowledgedSurvivesAKill(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("killed");
    Map<Operations, Map<String, String>> past = new LinkedHashMap<>();
    long total = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int[] acknowledged = new int[THREADS];
      try (ChildJvm child =
          ChildJvm.start(Writer.class, file.toString(), Integer.toString(round))) {
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
      try (RocksStorage<String, String> storage = open(file)) {
        total += IntStream.of(acknowledged).sum();
        assertThat(storage.head()).isBetween(total, total + (round + 1L) * THREADS);
        assertHistory(storage);
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

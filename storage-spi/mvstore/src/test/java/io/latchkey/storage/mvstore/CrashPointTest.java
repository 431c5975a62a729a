package io.latchkey.storage.mvstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Revision;
import io.latchkey.storage.StorageException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Looks at the file after every single write that the storage makes, as if the process had been
 * killed there: every commit that was acknowledged by then is in it.
 */
@Timeout(300)
class CrashPointTest {
  private static final int KEYS = 40;

  /** What the storage held when the step of this number was reached. */
  private record Acknowledged(int step, Map<String, String> objects) {}

  private final RecordedFile file = new RecordedFile();
  private final List<Acknowledged> history = new ArrayList<>();
  private final Map<String, String> expected = new HashMap<>();

  /** The objects by the revisions. */
  private final Map<Long, Map<String, String>> states = new HashMap<>();

  private void acknowledge() {
    history.add(new Acknowledged(file.steps(), Map.copyOf(expected)));
  }

  /** Commits, deletions, compactions and a close, on a small file that reuses its space at once. */
  private void work(MvOptions options, long seed, int commits) throws Exception {
    Random random = new Random(seed);
    acknowledge();
    Engine engine = Engine.open(file, "test", options);
    acknowledge();
    states.put(0L, Map.of());
    for (int i = 0; i < commits; i++) {
      int changes = random.nextInt(4) == 0 ? random.nextInt(20) + 1 : 1;
      Map<String, Change.Entry> entries = new HashMap<>();
      for (int j = 0; j < changes; j++) {
        change(entries, random, i);
      }
      Revisions.Applied applied =
          engine
              .revisions()
              .apply(List.copyOf(entries.values()), Revisions.BLIND, 1, options.history());
      states.put(applied.revision(), Map.copyOf(expected));
      engine.commit();
      acknowledge();
      if (random.nextInt(10) == 0 && engine.compact(20_000)) {
        engine.commit();
        acknowledge();
      }
    }
    engine.close(1_000_000_000L);
    acknowledge();
  }

  private void change(Map<String, Change.Entry> entries, Random random, int number) {
    String key = "key" + random.nextInt(KEYS);
    if (random.nextInt(6) == 0) {
      entries.put(key, new Change.Entry(key.getBytes(UTF_8), null));
      expected.remove(key);
    } else {
      String value = number + ":" + "x".repeat(random.nextInt(3000));
      entries.put(key, new Change.Entry(key.getBytes(UTF_8), value.getBytes(UTF_8)));
      expected.put(key, value);
    }
  }

  /** What the storage finds in a file; {@code where} is told if it cannot be read. */
  private Map<String, String> contents(byte[] image, MvOptions options, String where) {
    try {
      return contents(image, options);
    } catch (Exception e) {
      throw new AssertionError("the file cannot be read: " + where, e);
    }
  }

  private Map<String, String> contents(byte[] image, MvOptions options) throws StorageException {
    Engine engine = Engine.open(RecordedFile.of(image), "image", options);
    Map<String, String> found = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      byte[] value = engine.get(("key" + i).getBytes(UTF_8));
      if (value != null) {
        found.put("key" + i, new String(value, UTF_8));
      }
    }
    assertThat(engine.size()).isEqualTo(found.size());
    Revisions revisions = engine.revisions();
    long head = revisions.head();
    assertThat(found).as("revision %d", head).isEqualTo(states.get(head));
    for (long at = Math.max(revisions.oldest(), head - 3); at <= head; at++) {
      assertThat(asOf(revisions, at)).as("revision %d", at).isEqualTo(states.get(at));
    }
    engine.abandon();
    return found;
  }

  private static Map<String, String> asOf(Revisions revisions, long at) {
    Map<String, String> found = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      Revision<byte[]> revision = revisions.at(("key" + i).getBytes(UTF_8), at);
      assertThat(revision).isNotNull();
      assertThat(revision.answers(at)).isTrue();
      byte[] value = revision.value();
      if (value != null) {
        found.put("key" + i, new String(value, UTF_8));
      }
    }
    return found;
  }

  /** The acknowledged states that a crash after this step may show: the last one, or the next. */
  private List<Map<String, String>> allowed(int step) {
    int last = 0;
    while (last + 1 < history.size() && history.get(last + 1).step() <= step) {
      last++;
    }
    return history.subList(last, Math.min(last + 2, history.size())).stream()
        .map(Acknowledged::objects)
        .toList();
  }

  /** With these seeds MVStore alone, without what {@link ChunkFile} adds, does lose commits. */
  @ParameterizedTest
  @ValueSource(longs = {106, 114})
  void aKillAfterAnyWriteLosesNothingAcknowledged(long seed) throws Exception {
    MvOptions options = MvOptions.defaults().withHistory(10);
    work(options, seed, 100);
    for (int step = history.get(0).step(); step <= file.steps(); step++) {
      String where = "seed " + seed + ", killed after step " + step + " of " + file.steps();
      assertThat(contents(file.afterKill(step), options, where)).as(where).isIn(allowed(step));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void withSyncAPowerFailureAfterAnyWriteLosesNothingAcknowledged(long seed) throws Exception {
    MvOptions options = MvOptions.defaults().withSync(true).withHistory(10);
    work(options, seed, 60);
    Random random = new Random(seed);
    for (int step = history.get(0).step(); step <= file.steps(); step++) {
      String where = "seed " + seed + ", power failed after step " + step + " of " + file.steps();
      assertThat(contents(file.afterPowerFailure(step, random), options, where))
          .as(where)
          .isIn(allowed(step));
    }
  }

  @Test
  void theFileDoesNotGrowWithoutBound() throws Exception {
    work(MvOptions.defaults().withHistory(0), 7, 2000);
    long live = expected.values().stream().mapToLong(String::length).sum();
    assertThat(file.size()).as("live %d bytes", live).isLessThan(4 * live);
  }
}

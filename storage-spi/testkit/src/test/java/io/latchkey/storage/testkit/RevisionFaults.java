package io.latchkey.storage.testkit;

import io.latchkey.storage.ConflictException;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.Arguments;

/** Storages of revisions that read or commit wrongly, each with the test that is to notice. */
final class RevisionFaults {
  private RevisionFaults() {}

  static Arguments fault(String rule, IntFunction<RevisionStorage<String, String>> storages) {
    return Arguments.of(rule, storages);
  }

  /** Answers the loads of the right storage in a way of its own. */
  interface Answer {
    Revision<String> of(MemoryStorage<String, String> memory, String key, long at) throws Exception;
  }

  static Arguments answer(String rule, Answer answer) {
    return fault(
        rule,
        history ->
            new RightRevisions(history) {
              @Override
              public Revision<String> loadAt(String key, long at) throws Exception {
                super.loadAt(key, at); // refuses what is to be refused
                return answer.of(memory, key, at);
              }
            });
  }

  static Stream<Arguments> readFaults() {
    return Stream.of(
        answer(
            "loadAt: the object as of each revision",
            (memory, key, at) -> memory.loadAt(key, memory.head())),
        answer(
            "loadAt: absent before the first commit of the key",
            (memory, key, at) -> new Revision<>(memory.loadAt(key, at).value(), 0, at + 1)),
        answer(
            "loadAt: absent when it was never written",
            (memory, key, at) -> {
              Revision<String> right = memory.loadAt(key, at);
              return right.isAbsent() ? new Revision<>(null, at, right.nextSerial()) : right;
            }),
        answer(
            "loadAt: absent between deletion and re-creation",
            (memory, key, at) -> {
              Revision<String> right = memory.loadAt(key, at);
              return right.isAbsent() ? new Revision<>(null, 0, right.nextSerial()) : right;
            }),
        answer(
            "loadAt: the next serial is told or unknown, never wrong",
            (memory, key, at) -> {
              Revision<String> right = memory.loadAt(key, at);
              return new Revision<>(right.value(), right.serial(), Revision.NO_NEXT);
            }),
        answer(
            "loadAt: random commits, against plain maps",
            (memory, key, at) -> memory.loadAt(key, at > 100 ? at - 1 : at)),
        answer(
            "loadAt: a revision stays while others commit",
            (memory, key, at) -> memory.loadAt(key, Math.max(at, memory.head() - 1))),
        fault(
            "loadAt: a revision in the future is a retryable failure",
            history ->
                new RightRevisions(history) {
                  @Override
                  public Revision<String> loadAt(String key, long at) throws Exception {
                    return super.loadAt(key, Math.min(at, head()));
                  }
                }),
        fault(
            "loadAt: a negative revision or a null key is refused",
            history ->
                new RightRevisions(history) {
                  @Override
                  public Revision<String> loadAt(String key, long at) throws Exception {
                    return super.loadAt(key, Math.max(at, 0));
                  }
                }),
        fault(
            "load: reads the head",
            history ->
                new RightRevisions(history) {
                  @Override
                  public @Nullable String load(String key) throws Exception {
                    long head = head();
                    return loadAt(key, head > 10 ? head - 1 : head).value();
                  }
                }),
        fault(
            "loadAllAt: one revision for each key, absent ones too",
            history ->
                new RightRevisions(history) {
                  @Override
                  public Map<String, Revision<String>> loadAllAt(
                      Set<? extends String> keys, long at) throws Exception {
                    Map<String, Revision<String>> found = super.loadAllAt(keys, at);
                    found.values().removeIf(Revision::isAbsent);
                    return found;
                  }
                }));
  }

  /** Commits to the right storage in a way of its own. */
  interface Commit {
    long to(MemoryStorage<String, String> memory, Map<String, Optional<String>> changes, long base)
        throws Exception;
  }

  static Arguments commit(String rule, Commit commit) {
    return fault(
        rule,
        history ->
            new RightRevisions(history) {
              @Override
              public long commit(Map<String, Optional<String>> changes, long base)
                  throws Exception {
                super.head(); // refuses when closed
                return commit.to(memory, changes, base);
              }
            });
  }

  /** Commits the changes one by one. */
  private static long oneByOne(
      MemoryStorage<String, String> memory, Map<String, Optional<String>> changes, long base)
      throws Exception {
    long made = memory.head();
    for (Map.Entry<String, Optional<String>> change : changes.entrySet()) {
      made = memory.commit(Map.of(change.getKey(), change.getValue()), base);
    }
    return made;
  }

  static Stream<Arguments> commitFaults() {
    return Stream.of(
        commit(
            "commit: makes the revision after the head",
            (memory, changes, base) -> memory.commit(changes, base) + 1),
        commit("commit: stores and deletes all together", RevisionFaults::oneByOne),
        commit("threads: a reader sees all of a commit or nothing", RevisionFaults::oneByOne),
        commit(
            "commit: an empty one makes no revision",
            (memory, changes, base) ->
                memory.commit(changes.isEmpty() ? Map.of("", Optional.empty()) : changes, base)),
        commit(
            "commit: nulls are refused and nothing is changed",
            (memory, changes, base) -> {
              Map<String, Optional<String>> clean = new HashMap<>(changes);
              clean.values().removeIf(Objects::isNull);
              clean.remove(null);
              return memory.commit(clean, base);
            }),
        commit(
            "commit: a base in the future or below zero is refused",
            (memory, changes, base) -> memory.commit(changes, Math.min(base, memory.head()))),
        commit(
            "conflict: of two commits on one base the second fails",
            (memory, changes, base) -> memory.commit(changes, Math.max(base, memory.head()))),
        commit(
            "conflict: a deletion and a creation count",
            (memory, changes, base) -> {
              for (String key : changes.keySet()) {
                if (memory.load(key) == null) {
                  return memory.commit(changes, Math.max(base, memory.head()));
                }
              }
              return memory.commit(changes, base);
            }),
        commit(
            "conflict: all of the keys are named, and no others",
            (memory, changes, base) -> {
              try {
                return memory.commit(changes, base);
              } catch (ConflictException e) {
                throw new ConflictException("right", changes.keySet(), base);
              }
            }),
        commit(
            "no conflict: other keys, or a base that has the change",
            (memory, changes, base) -> {
              if (!changes.isEmpty() && base >= 0 && base < memory.head()) {
                throw new ConflictException("right", changes.keySet(), base);
              }
              return memory.commit(changes, base);
            }),
        commit(
            "threads: no commit is based on what it did not see",
            (memory, changes, base) -> {
              // Looks first and commits then, and another one may come between.
              for (String key : changes.keySet()) {
                if (memory.loadAt(key, memory.head()).serial() > base) {
                  throw new ConflictException("right", List.of(key), base);
                }
              }
              for (int i = 0; i < 1000 && memory.head() <= base; i++) {
                Thread.yield();
              }
              return memory.commit(changes, Math.max(base, memory.head()));
            }),
        fault(
            "writes: each is a commit, and conflicts with a commit",
            history ->
                new RightRevisions(history) {
                  @Override
                  public void delete(String key) throws Exception {
                    if (load(key) != null) {
                      super.delete(key);
                      store("other", "x");
                    }
                  }
                }),
        fault(
            "after close: calls fail and say so",
            history ->
                new RightRevisions(history) {
                  @Override
                  public long head() throws Exception {
                    return memory.head();
                  }
                }));
  }
}

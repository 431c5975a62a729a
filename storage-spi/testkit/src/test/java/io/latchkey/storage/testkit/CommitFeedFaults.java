package io.latchkey.storage.testkit;

import static io.latchkey.storage.testkit.RevisionFaults.answer;
import static io.latchkey.storage.testkit.RevisionFaults.commit;
import static io.latchkey.storage.testkit.RevisionFaults.fault;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Revision;
import io.latchkey.storage.SnapshotTooOldException;
import io.latchkey.storage.Subscription;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Storages of revisions that tell or forget commits wrongly, with the tests that are to notice. */
final class CommitFeedFaults {
  private CommitFeedFaults() {}

  /** Hands the events of the right storage on in a way of its own. */
  private static class Relay implements CommitListener<String> {
    final CommitListener<String> to;

    Relay(CommitListener<String> to) {
      this.to = to;
    }

    @Override
    public void committed(long epoch, long revision, Collection<? extends String> keys) {
      to.committed(epoch, revision, keys);
    }

    @Override
    public void lost(String reason) {
      to.lost(reason);
    }

    @Override
    public void whole(long epoch, long head) {
      to.whole(epoch, head);
    }
  }

  /** Subscribes to the right storage in a way of its own. */
  private interface Subscribing {
    Subscription to(
        MemoryStorage<String, String> memory, long from, CommitListener<String> listener)
        throws Exception;
  }

  private static Arguments commits(String rule, Subscribing subscribing) {
    return fault(
        rule,
        history ->
            new RightRevisions(history) {
              @Override
              public Subscription commits(long from, CommitListener<String> listener)
                  throws Exception {
                Objects.requireNonNull(listener, "listener");
                super.head(); // refuses when closed
                return subscribing.to(memory, from, listener);
              }
            });
  }

  /** A relay that changes what commits are told as. */
  private interface Telling {
    void tell(CommitListener<String> to, long epoch, long revision, List<String> keys);
  }

  private static Arguments telling(String rule, Telling telling) {
    return commits(
        rule,
        (memory, from, listener) ->
            memory.commits(
                from,
                new Relay(listener) {
                  @Override
                  public void committed(
                      long epoch, long revision, Collection<? extends String> keys) {
                    telling.tell(to, epoch, revision, List.copyOf(keys));
                  }
                }));
  }

  static Stream<Arguments> feedFaults() {
    return Stream.of(
        telling(
            "commits: whole is told first, then each commit",
            (to, epoch, revision, keys) -> to.committed(epoch, revision, keys.subList(0, 1))),
        commits(
            "commits: goes on after the revision asked for",
            (memory, from, listener) -> memory.commits(memory.head(), listener)),
        commits(
            "commits: a revision in the future or below zero is refused",
            (memory, from, listener) -> memory.commits(Math.min(from, memory.head()), listener)),
        telling(
            "commits: those of threads are told without holes",
            (to, epoch, revision, keys) ->
                to.committed(epoch, revision < 60 ? revision : revision + 1, keys)),
        telling(
            "a commit listener that throws: lost, whole, nothing skipped",
            (to, epoch, revision, keys) -> {
              try {
                to.committed(epoch, revision, keys);
              } catch (RuntimeException e) {
                // Swallowed: the listener is not told that it missed something.
                Objects.requireNonNull(e);
              }
            }),
        telling(
            "in process: a commit is told before it returns",
            (to, epoch, revision, keys) ->
                new Thread(() -> to.committed(epoch, revision, keys)).start()),
        commits(
            "commits: a closed subscription is told nothing",
            (memory, from, listener) -> {
              memory.commits(from, listener);
              return () -> {};
            }),
        commit(
            "commits: a conflict and an empty commit are not told",
            (memory, changes, base) -> {
              try {
                return memory.commit(changes, base);
              } catch (ConflictException e) {
                memory.commit(Map.of("conflict", Optional.empty()), memory.head());
                throw e;
              }
            }),
        fault("commits: a commit can be read before it is told", Slow::new),
        fault(
            "commits: stores and deletes are told",
            history ->
                new RightRevisions(history) {
                  private long hidden = -1;

                  @Override
                  public void delete(String key) throws Exception {
                    hidden = head() + 1;
                    super.delete(key);
                  }

                  @Override
                  public Subscription commits(long from, CommitListener<String> listener)
                      throws Exception {
                    Objects.requireNonNull(listener, "listener");
                    return super.commits(
                        from,
                        new Relay(listener) {
                          @Override
                          public void committed(
                              long epoch, long revision, Collection<? extends String> keys) {
                            if (revision != hidden) {
                              to.committed(epoch, revision, keys);
                            }
                          }
                        });
                  }
                }));
  }

  /** Shows a commit to readers only after it was told. */
  private static final class Slow extends RightRevisions {
    private volatile long shown;

    Slow(int history) {
      super(history);
    }

    @Override
    public long head() throws Exception {
      return Math.min(super.head(), shown);
    }

    @Override
    public long commit(Map<String, Optional<String>> changes, long base) throws Exception {
      long made = super.commit(changes, base);
      shown = Math.max(shown, made);
      return made;
    }
  }

  static Stream<Arguments> historyFaults() {
    return Stream.of(
        fault(
            "history: what is older is refused, the rest is read",
            history -> new RightRevisions(RevisionContractTest.LONG)),
        fault(
            "history: forgotten commits are told as a loss",
            history -> new RightRevisions(RevisionContractTest.LONG)),
        fault("history: long enough for a snapshot", history -> new RightRevisions(1)),
        answer(
            "history: a forgotten deletion stays a deletion",
            (memory, key, at) -> {
              Revision<String> right = memory.loadAt(key, at);
              return right.isAbsent() ? new Revision<>("1", 1, right.nextSerial()) : right;
            }),
        commit(
            "history: a base that is forgotten is refused",
            (memory, changes, base) -> {
              try {
                return memory.commit(changes, base);
              } catch (SnapshotTooOldException e) {
                return memory.commit(changes, memory.head());
              }
            }),
        fault(
            "reopening: the head and the objects are as they were",
            history ->
                new RightRevisions(history) {
                  @Override
                  RightRevisions again() {
                    return new RightRevisions(MemoryStorage.create());
                  }
                }),
        fault(
            "reopening: numbers go on, conflicts are seen",
            history ->
                new RightRevisions(history) {
                  @Override
                  RightRevisions again() {
                    return (RightRevisions) Objects.requireNonNull(forgetting(memory));
                  }
                }),
        fault(
            "reopening: commits after it follow those before",
            history ->
                new RightRevisions(history) {
                  @Override
                  RightRevisions again() {
                    return new RightRevisions(memory) {
                      @Override
                      public Subscription commits(long from, CommitListener<String> listener)
                          throws Exception {
                        return super.commits(head(), listener);
                      }
                    };
                  }
                }));
  }

  /** The storage opened again, which looks for no conflicts. */
  private static Object forgetting(MemoryStorage<String, String> memory) {
    return new RightRevisions(memory) {
      @Override
      public long commit(Map<String, Optional<String>> changes, long base) throws Exception {
        return super.commit(changes, Math.max(base, head()));
      }
    };
  }
}

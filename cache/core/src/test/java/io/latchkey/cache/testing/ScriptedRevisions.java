package io.latchkey.cache.testing;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A storage of revisions that answers and tells what a test says. Loads answer from what was
 * written, unless the test holds them or gives an answer of its own; nothing is told by itself.
 */
public final class ScriptedRevisions implements RevisionStorage<String, String> {
  /** Whether loads tell the next serial. */
  public enum Next {
    EXACT,
    UNKNOWN
  }

  private final GatedLoads<String, Revision<String>> gates;
  private final Map<String, TreeMap<Long, Optional<String>>> written = new HashMap<>();
  private final Map<String, Revision<String>> answers = new HashMap<>();
  private final List<String> loads = new ArrayList<>();
  private final Next next;
  private long head;
  private long epoch = 1;
  private boolean held;
  private @Nullable CommitListener<String> listener;

  /** A storage whose head is this revision. */
  public ScriptedRevisions(long head, Next next, GatedLoads<String, Revision<String>> gates) {
    this.head = head;
    this.next = next;
    this.gates = gates;
  }

  // ---- what it holds

  /** An object, or its absence, from a revision on; says nothing to the listener. */
  public synchronized ScriptedRevisions write(long revision, String key, @Nullable String value) {
    written.computeIfAbsent(key, same -> new TreeMap<>()).put(revision, Optional.ofNullable(value));
    head = Math.max(head, revision);
    return this;
  }

  /** The answer to this one question, until it is null, whatever was written. */
  public synchronized void answer(String key, long at, @Nullable Revision<String> answer) {
    answers.put(key + "@" + at, answer);
  }

  /** From now on, loads are held until the test lets them go. */
  public synchronized void hold() {
    held = true;
  }

  /** From now on, loads are not held. */
  public synchronized void letGo() {
    held = false;
  }

  /** The load of this key as of this revision; waits until it has begun. */
  public GatedLoads.Load<String, Revision<String>> load(String key, long at) {
    return gates.next(key + "@" + at);
  }

  /** The loads so far, such as {@code k@5}. */
  public synchronized List<String> loads() {
    return List.copyOf(loads);
  }

  /** What was written, as of a revision. */
  public synchronized Revision<String> truth(String key, long at) {
    TreeMap<Long, Optional<String>> all = written.getOrDefault(key, new TreeMap<>());
    Map.Entry<Long, Optional<String>> found = all.floorEntry(at);
    Long after = all.higherKey(at);
    long told = after == null ? Revision.NO_NEXT : after;
    return new Revision<>(
        found == null ? null : found.getValue().orElse(null),
        found == null ? 0 : found.getKey(),
        next == Next.EXACT ? told : Revision.NEXT_UNKNOWN);
  }

  // ---- what it tells

  private CommitListener<String> listener() {
    return Objects.requireNonNull(listener, "nobody listens");
  }

  /** Writes and tells a commit. */
  public void commit(long revision, String key, @Nullable String value) {
    write(revision, key, value);
    tell(revision, key);
  }

  /** Tells a commit of these keys. */
  public void tell(long revision, String... keys) {
    listener().committed(epoch, revision, List.of(keys));
  }

  /** Tells that the feed is lost. */
  public void lost() {
    listener().lost("on purpose");
  }

  /** Tells that the feed is whole after a revision. */
  public void whole(long revision) {
    listener().whole(epoch, revision);
  }

  /** What follows is of another epoch. */
  public void nextEpoch() {
    epoch++;
  }

  // ---- the storage

  @Override
  public Revision<String> loadAt(String key, long at) throws Exception {
    Revision<String> answer;
    boolean gated;
    synchronized (this) {
      loads.add(key + "@" + at);
      answer = answers.containsKey(key + "@" + at) ? answers.get(key + "@" + at) : truth(key, at);
      gated = held;
    }
    return gated ? gates.load(key + "@" + at) : answer;
  }

  @Override
  public synchronized long head() {
    return head;
  }

  @Override
  public synchronized Subscription commits(long from, CommitListener<String> to) {
    listener = to;
    to.whole(epoch, from);
    return () -> {};
  }

  @Override
  public long commit(Map<String, Optional<String>> changes, long base) {
    throw new UnsupportedOperationException("the test writes");
  }

  @Override
  public String name() {
    return "scripted";
  }
}

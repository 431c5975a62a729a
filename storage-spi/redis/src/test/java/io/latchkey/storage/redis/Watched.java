package io.latchkey.storage.redis;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.testkit.FeedRecorder;
import io.latchkey.storage.testkit.FeedRecorder.Event;
import io.latchkey.storage.testkit.FeedRecorder.Kind;
import java.time.Duration;
import java.util.List;

/** A storage that is watched, from when its feed was whole for the first time. */
final class Watched implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  final WatchableRedisStorage<String, String> storage;
  final FeedRecorder<String> recorder = new FeedRecorder<>(PATIENCE);
  private final Subscription subscription;

  private Watched(String url, RedisOptions options) throws Exception {
    storage =
        (WatchableRedisStorage<String, String>)
            RedisStorage.open(url, Codec.utf8(), Codec.utf8(), options);
    subscription = storage.watch(recorder);
    recorder.awaitWhole();
  }

  static Watched open(String url, RedisOptions options) throws Exception {
    return new Watched(url, options);
  }

  int count() {
    return recorder.events().size();
  }

  /** Waits for an event of a kind among those after the first so many. */
  void await(int after, Kind kind) {
    recorder.await(
        kind + " after " + after + " events",
        events -> after(events, after).stream().anyMatch(event -> event.kind() == kind));
  }

  /** Waits until the change of a key was told, after the first so many events. */
  void awaitChanged(int after, String key) {
    recorder.await(
        "the change of " + key + " after " + after + " events",
        events -> after(events, after).stream().anyMatch(event -> event.keys().contains(key)));
  }

  /** Waits for a loss, and then for the feed to be whole again, after the first so many events. */
  void awaitAnew(int after) {
    recorder.await(
        "lost and then whole after " + after + " events",
        events -> {
          List<Kind> kinds = after(events, after).stream().map(Event::kind).toList();
          int lost = kinds.indexOf(Kind.LOST);
          return lost >= 0 && kinds.lastIndexOf(Kind.WHOLE) > lost;
        });
  }

  private static List<Event<String>> after(List<Event<String>> events, int count) {
    return events.subList(Math.min(count, events.size()), events.size());
  }

  List<Event<String>> eventsAfter(int count) {
    return after(recorder.events(), count);
  }

  void unsubscribe() {
    subscription.close();
  }

  @Override
  public void close() {
    subscription.close();
    storage.close();
    recorder.checkOrder();
  }
}

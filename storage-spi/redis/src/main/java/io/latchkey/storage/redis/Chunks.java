package io.latchkey.storage.redis;

import io.lettuce.core.KeyValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Long lists in several commands, which are all sent before the first answer is waited for. */
final class Chunks {
  private Chunks() {}

  /** Calls the command for each chunk of the list; the results come in its order. */
  static <A, T> CompletableFuture<List<T>> each(
      List<A> all, int size, Function<List<A>, CompletionStage<T>> command) {
    List<CompletableFuture<T>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += size) {
      List<A> chunk = all.subList(from, Math.min(all.size(), from + size));
      parts.add(command.apply(chunk).toCompletableFuture());
    }
    return Session.inOrder(parts);
  }

  /** Calls the command that writes many for each chunk of the entries. */
  @SuppressWarnings("ArrayAsKeyOfSetOrMap") // by identity, so that equal keys stay in their order
  static <T> CompletableFuture<List<T>> entries(
      List<byte[]> keys,
      List<byte[]> objects,
      Function<Map<byte[], byte[]>, CompletionStage<T>> command) {
    return each(
        IntStream.range(0, keys.size()).boxed().toList(),
        Layout.WRITE_CHUNK,
        chunk -> {
          Map<byte[], byte[]> entries = new LinkedHashMap<>();
          chunk.forEach(i -> entries.put(keys.get(i), objects.get(i)));
          return command.apply(entries);
        });
  }

  /** The values found, null for others, of a command that reads many. */
  static CompletionStage<List<byte @Nullable []>> values(
      List<byte[]> names,
      Function<List<byte[]>, CompletionStage<List<KeyValue<byte[], byte[]>>>> command) {
    return each(names, Layout.READ_CHUNK, command)
        .thenApply(
            chunks -> {
              List<byte @Nullable []> values = new ArrayList<>(names.size());
              for (List<KeyValue<byte[], byte[]>> chunk : chunks) {
                for (KeyValue<byte[], byte[]> found : chunk) {
                  values.add(found.hasValue() ? found.getValue() : null);
                }
              }
              return values;
            });
  }
}

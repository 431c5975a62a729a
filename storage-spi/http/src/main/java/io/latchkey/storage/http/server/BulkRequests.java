package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.storage.http.Frames;
import io.latchkey.storage.http.KeyText;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests for several objects: what they ask for stands in the body. */
final class BulkRequests {
  private static final String JSON = "application/json";
  private static final String TEXT = "text/plain";

  private BulkRequests() {}

  /** Works on a body. May block. */
  interface Job {
    Answer answer(byte[] body) throws Exception;
  }

  /** Reads the objects of the keys in the body. */
  static Job read(Backend backend, Limits limits, HttpRequest request) {
    boolean text = is(TEXT, request.headers().get(HttpHeaderNames.CONTENT_TYPE));
    if (!text) {
      requireFrames(request, " or, with a percent-encoded key a line, " + TEXT);
    }
    boolean json = accepts(request.headers().get(HttpHeaderNames.ACCEPT));
    return body -> {
      Collection<ObjectKey> keys = distinct(text ? lines(body) : frames(body), limits);
      Map<ObjectKey, StoredObject> found = backend.getAll(keys);
      return json ? BulkAnswer.json(keys, found) : new BulkAnswer(found);
    };
  }

  /** Stores the objects in the body. */
  static Job write(Backend backend, Limits limits, HttpRequest request) {
    requireFrames(request, "");
    return body -> {
      List<byte[]> fields = frames(body);
      if (fields.size() % 2 != 0) {
        throw new Refusal(400, "the last key has no object: send key and object in turn");
      }
      Map<ObjectKey, byte[]> bodies = new LinkedHashMap<>();
      for (int i = 0; i < fields.size(); i += 2) {
        bodies.put(new ObjectKey(fields.get(i)), fields.get(i + 1));
      }
      check(bodies.keySet(), limits);
      if (!bodies.isEmpty()) {
        backend.putAll(bodies);
      }
      return FixedAnswer.bodiless(204, "");
    };
  }

  private static void requireFrames(HttpRequest request, String orElse) {
    if (!is(Frames.MEDIA_TYPE, request.headers().get(HttpHeaderNames.CONTENT_TYPE))) {
      throw new Refusal(
          415, "the body is not understood: send Content-Type: " + Frames.MEDIA_TYPE + orElse);
    }
  }

  private static boolean is(String mediaType, @Nullable String field) {
    if (field == null) {
      return false;
    }
    int parameters = field.indexOf(';');
    String type = parameters < 0 ? field : field.substring(0, parameters);
    return type.strip().equalsIgnoreCase(mediaType);
  }

  private static boolean accepts(@Nullable String field) {
    return field != null && field.toLowerCase(Locale.ROOT).contains(JSON);
  }

  private static List<byte[]> frames(byte[] body) {
    try {
      return Frames.decode(ByteBuffer.wrap(body));
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, String.valueOf(e.getMessage()));
    }
  }

  private static List<byte[]> lines(byte[] body) {
    List<byte[]> keys = new ArrayList<>();
    try {
      new String(body, UTF_8).lines().forEach(line -> keys.add(KeyText.decode(line)));
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, "line " + (keys.size() + 1) + ": " + e.getMessage());
    }
    return keys;
  }

  private static Set<ObjectKey> distinct(List<byte[]> fields, Limits limits) {
    Set<ObjectKey> keys = new LinkedHashSet<>();
    fields.forEach(field -> keys.add(new ObjectKey(field)));
    check(keys, limits);
    return keys;
  }

  private static void check(Set<ObjectKey> keys, Limits limits) {
    if (keys.size() > limits.bulkKeys()) {
      throw new Refusal(
          413, keys.size() + " keys are too many: send " + limits.bulkKeys() + " at most");
    }
    for (ObjectKey key : keys) {
      if (key.bytes().length > limits.keyBytes()) {
        throw new Refusal(
            414,
            "a key has "
                + key.bytes().length
                + " bytes and may have "
                + limits.keyBytes()
                + ": shorten it");
      }
    }
  }
}

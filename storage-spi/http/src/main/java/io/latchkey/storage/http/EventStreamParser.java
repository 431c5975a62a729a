package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads server-sent events from bytes that come in pieces of any size. Lines end with CR, LF or
 * both; comments and unknown fields are skipped. An event that is larger than the limit is refused
 * before it is kept. Used by one thread.
 */
final class EventStreamParser {
  /** What the events are given to. */
  interface Sink {
    /**
     * One event.
     *
     * @param name its kind, {@code message} if it has none
     * @param id its id, or null
     * @param data the lines of its data
     */
    void event(String name, @Nullable String id, List<String> data) throws BadAnswerException;

    /** How long the server wants a client to wait before it comes back. */
    void retry(long millis);
  }

  /** What a short line costs beyond its bytes. */
  private static final int LINE_OVERHEAD = 48;

  private static final int FIRST_BYTES = 256;

  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private final int limit;
  private final Sink sink;
  private byte[] line = new byte[FIRST_BYTES];
  private int length;
  private boolean firstLine = true;
  private boolean afterReturn;

  private String name = "";
  private @Nullable String id;
  private List<String> data = new ArrayList<>();
  private long size;

  EventStreamParser(int limit, Sink sink) {
    this.limit = limit;
    this.sink = sink;
  }

  /** Takes the next bytes, and tells the events that are whole with them. */
  void read(ByteBuf bytes) throws BadAnswerException {
    while (bytes.isReadable()) {
      byte b = bytes.readByte();
      boolean second = afterReturn && b == '\n';
      afterReturn = b == '\r';
      if (second) {
        continue; // the line ended at the CR
      }
      if (b == '\n' || b == '\r') {
        endLine();
      } else {
        append(b);
      }
    }
  }

  private void append(byte b) throws BadAnswerException {
    if (size + length >= limit) {
      throw new BadAnswerException(
          "an event of the feed has more than " + limit + " bytes: give a larger maxBytes=", null);
    }
    if (length == line.length) {
      line = Arrays.copyOf(line, (int) Math.min(limit, 2L * length));
    }
    line[length++] = b;
  }

  private void endLine() throws BadAnswerException {
    int start = 0;
    if (firstLine) {
      firstLine = false;
      int mark = BYTE_ORDER_MARK.length;
      if (length >= mark && Arrays.equals(line, 0, mark, BYTE_ORDER_MARK, 0, mark)) {
        start = mark;
      }
    }
    int end = length;
    length = 0;
    if (start == end) {
      endEvent();
    } else {
      field(start, end);
    }
    if (line.length > FIRST_BYTES && size == 0) {
      line = new byte[FIRST_BYTES]; // a long line does not bind its memory for ever
    }
  }

  private void field(int start, int end) {
    int colon = start;
    while (colon < end && line[colon] != ':') {
      colon++;
    }
    String field = new String(line, start, colon - start, UTF_8);
    int from = Math.min(end, colon + 1);
    if (from < end && line[from] == ' ') {
      from++;
    }
    switch (field) {
      case "event" -> name = take(from, end);
      case "data" -> data.add(take(from, end));
      case "id" -> id = take(from, end);
      case "retry" -> retry(new String(line, from, end - from, UTF_8));
      default -> {
        // A comment, whose name is empty, or a field of a later version.
      }
    }
  }

  private String take(int from, int end) {
    size += LINE_OVERHEAD + end - from;
    return new String(line, from, end - from, UTF_8);
  }

  private void retry(String millis) {
    if (!millis.isEmpty() && millis.length() < 10 && millis.chars().allMatch(Character::isDigit)) {
      sink.retry(Long.parseLong(millis));
    }
  }

  private void endEvent() throws BadAnswerException {
    String kind = name;
    String at = id;
    List<String> lines = data;
    boolean any = !kind.isEmpty() || !lines.isEmpty();
    name = "";
    id = null;
    data = new ArrayList<>();
    size = 0;
    if (any) {
      sink.event(kind.isEmpty() ? "message" : kind, at, lines);
    }
  }
}

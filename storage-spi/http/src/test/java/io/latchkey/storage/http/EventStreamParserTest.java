package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EventStreamParserTest {
  private static final int LIMIT = 1024;

  private final List<String> told = new ArrayList<>();
  private EventStreamParser parser = parser();

  private EventStreamParser parser() {
    return new EventStreamParser(
        LIMIT,
        new EventStreamParser.Sink() {
          @Override
          public void event(String name, @Nullable String id, List<String> data) {
            told.add(name + " " + id + " " + data);
          }

          @Override
          public void retry(long millis) {
            told.add("retry " + millis);
          }
        });
  }

  private void read(byte[] bytes, int from, int to) throws BadAnswerException {
    parser.read(Unpooled.wrappedBuffer(bytes, from, to - from));
  }

  private void read(String text) throws BadAnswerException {
    byte[] bytes = text.getBytes(UTF_8);
    read(bytes, 0, bytes.length);
  }

  @Test
  @DisplayName("A stream in two pieces is the same wherever it is cut, whatever ends its lines")
  void everyBoundary() throws Exception {
    for (String end : List.of("\n", "\r", "\r\n")) {
      byte[] stream =
          """
          \uFEFFretry: 1000

          event: whole
          id: 7-1
          data: 7-1

          :

          event:changed
          id:7-2
          data: a%20
          data:\s
          data
          data:é

          data: x: y
          other: z


          """
              .replace("\n", end)
              .getBytes(UTF_8);
      for (int cut = 0; cut <= stream.length; cut++) {
        told.clear();
        parser = parser();
        read(stream, 0, cut);
        read(stream, cut, stream.length);
        assertThat(told)
            .as("lines end with %s, cut at %d", end.replace("\r", "CR").replace("\n", "LF"), cut)
            .containsExactly(
                "retry 1000",
                "whole 7-1 [7-1]",
                "changed 7-2 [a%20, , , é]",
                "message null [x: y]");
      }
    }
  }

  @Test
  @DisplayName("Byte by byte it is the same")
  void singleBytes() throws Exception {
    byte[] stream = "event: whole\r\nid: 7-1\r\ndata: 7-1\r\n\r\n".getBytes(UTF_8);
    for (int i = 0; i < stream.length; i++) {
      read(stream, i, i + 1);
    }
    assertThat(told).containsExactly("whole 7-1 [7-1]");
  }

  @Test
  @DisplayName("A name and an id hold for one event only; an event without end is not told")
  void noLeftovers() throws Exception {
    read("event: whole\nid: 7-1\ndata: 7-1\n\ndata: x\n\nevent: changed\ndata: a\n");
    assertThat(told).containsExactly("whole 7-1 [7-1]", "message null [x]");
  }

  @Test
  @DisplayName("A retry that is no number is skipped")
  void badRetry() throws Exception {
    read("retry: soon\n\nretry: -1\n\nretry: 99999999999\n\nretry:\n\n");
    assertThat(told).isEmpty();
  }

  @Test
  @DisplayName("A line, a comment or an event without end is refused at the limit")
  void bounded() throws Exception {
    for (String piece : List.of("x", ":x", "data: x\n", "data\n")) {
      parser = parser();
      String first = piece.startsWith(":") ? ":" : "";
      assertThatThrownBy(
              () -> {
                read(first);
                for (int i = 0; i <= LIMIT; i++) {
                  read(piece.replace(":x", "x"));
                }
              })
          .isInstanceOf(BadAnswerException.class)
          .hasMessageContaining("more than 1024 bytes")
          .hasMessageContaining("maxBytes");
    }
    parser = parser();
    for (int i = 0; i < LIMIT; i++) {
      read(": comments that end may go on for ever\n\n");
    }
    assertThat(told).isEmpty();
  }
}

package io.latchkey.storage.http.server;

import static io.latchkey.storage.http.server.RawClient.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.http.server.RawClient.Response;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that are none, or that two parsers could read differently. */
@ExtendWith(LeakCheck.class)
@SuppressWarnings("StringConcatToTextBlock") // the kinds of line ends are the point
class MalformedRequestTest {
  private static HttpCacheServer server;

  @BeforeAll
  static void start() throws Exception {
    server = HttpCacheServer.over("memory:").maxBodyBytes(1000).maxKeyBytes(20).start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** In the texts, | is a line's end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\u0001',
      textBlock =
          """
          400;GET||
          400;GET /objects/k||
          505;GET /objects/k HTTP/2.0|Host: h||
          505;GET /objects/k HTTP/0.9|Host: h||
          505;PRI * HTTP/2.0||SM||
          400;GET /objects/k FTP/x|Host: h||
          400;GET /objects/k HTTP/1.1||
          400;GET /objects/k HTTP/1.1|Host: a|Host: b||
          400;GET /objects/k HTTP/1.1|Host : h||
          400;GET /objects/k HTTP/1.1|Host: h|No colon||
          400;GET /objects/k HTTP/1.1|Host: h|Bad(name): x||
          400;GET /objects/k HTTP/1.1|Host: h|: empty||
          400;GET /objects/k HTTP/1.1| Folded: first||
          400;PUT /objects/k HTTP/1.1|Host: h|Content-Length: 3|Transfer-Encoding: chunked||0||
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: chunked|Content-Length: 3||0||
          400;PUT /objects/k HTTP/1.1|Host: h|Content-Length: 3|Content-Length: 4||abcd
          400;PUT /objects/k HTTP/1.1|Host: h|Content-Length: 3, 4||abcd
          400;PUT /objects/k HTTP/1.1|Host: h|Content-Length: +3||abc
          400;PUT /objects/k HTTP/1.1|Host: h|Content-Length: -3||abc
          400;PUT /objects/k HTTP/1.1|Host: h|Content-Length: 0x3||abc
          400;PUT /objects/k HTTP/1.1|Host: h|Content-Length: 99999999999999999999||abc
          413;PUT /objects/k HTTP/1.1|Host: h|Content-Length: 1001||abc
          411;PUT /objects/k HTTP/1.1|Host: h||
          417;PUT /objects/k HTTP/1.1|Host: h|Content-Length: 3|Expect: money||abc
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: gzip||abc
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: chunked, gzip||abc
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: xchunked||0||
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: gzip, chunked||0||
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: chunked, chunked||0||
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: chunked|Transfer-Encoding: x||0||
          400;PUT /objects/k HTTP/1.1|Host: h|Content-Length: 3, 3||abc
          400;PUT /objects/k HTTP/1.0|Transfer-Encoding: chunked||0||
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: chunked||3|abcX|0||
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: chunked||zz|abc|0||
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: chunked||-1|abc|0||
          400;PUT /objects/k HTTP/1.1|Host: h|Transfer-Encoding: chunked||fffffffff|abc|0||
          400;GET /objects/k HTTP/1.1|Host: h|Content-Length: 3||abc
          400;DELETE /objects/k HTTP/1.1|Host: h|Content-Length: 3||abc
          400;GET /objects/% HTTP/1.1|Host: h||
          400;GET /objects/%4 HTTP/1.1|Host: h||
          400;GET /objects/%zz HTTP/1.1|Host: h||
          414;GET /objects/123456789012345678901 HTTP/1.1|Host: h||
          404;GET objects/k HTTP/1.1|Host: h||
          404;GET / HTTP/1.1|Host: h||
          404;GET /objects2 HTTP/1.1|Host: h||
          404;GET /objectsX/k HTTP/1.1|Host: h||
          404;GET /changes/ HTTP/1.1|Host: h||
          404;GET /health2 HTTP/1.1|Host: h||
          404;GET //objects/k HTTP/1.1|Host: h||
          404;OPTIONS * HTTP/1.1|Host: h||
          405;POST /objects/k HTTP/1.1|Host: h||
          405;OPTIONS /objects/k HTTP/1.1|Host: h||
          405;BREW /objects/k HTTP/1.1|Host: h||
          405;GET /objects HTTP/1.1|Host: h||
          405;DELETE /health HTTP/1.1|Host: h||
          405;PUT /changes HTTP/1.1|Host: h|Content-Length: 3||abc
          411;POST /objects HTTP/1.1|Host: h|Content-Type: text/plain||
          415;POST /objects HTTP/1.1|Host: h|Content-Length: 1||k
          415;PUT /objects HTTP/1.1|Host: h|Content-Type: text/plain|Content-Length: 1||k
          400;GET /changes HTTP/1.1|Host: h|Last-Event-ID: x||
          """)
  @DisplayName("What is malformed or not allowed gets the status for it and one line that helps")
  void refused(int status, String text) throws Exception {
    try (RawClient client = RawClient.to(server)) {
      Response response = client.ask(text.replace("|", "\r\n"));
      assertThat(response.status()).as(response.body()).isEqualTo(status);
      assertThat(response.body()).hasLineCount(1).contains(": ").endsWith("\n");
      if (status == 405) {
        assertThat(response.body()).contains(response.field("allow"));
        assertThat(response.field("allow")).isNotEmpty();
      }
    }
  }

  @Test
  @DisplayName("A line that ends without a carriage return is refused, in the head and in chunks")
  void bareLineFeeds() throws Exception {
    for (String text :
        new String[] {
          "GET /health HTTP/1.1\nHost: h\n\n",
          "GET /health HTTP/1.1\r\nHost: h\n\r\n",
          "PUT /objects/k HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\n0\n\n",
        }) {
      try (RawClient client = RawClient.to(server)) {
        assertThat(client.ask(text).status()).as(text).isEqualTo(400);
        assertThat(client.isAtEnd()).isTrue();
      }
    }
  }

  @Test
  @DisplayName("A request hidden behind a malformed one is never answered")
  void nothingIsSmuggled() throws Exception {
    String hidden = get("/health");
    for (String text :
        new String[] {
          "PUT /objects/k HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n"
              + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "GET /objects/k HTTP/1.1\r\nHost: h\r\nContent-Length: " + hidden.length() + "\r\n\r\n",
          "PUT /objects/k HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab",
          "GET /objects/k HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 0\r\n\r\n",
        }) {
      try (RawClient client = RawClient.to(server)) {
        client.send(text + hidden);
        assertThat(client.read().status()).as(text).isEqualTo(400);
        assertThat(client.isAtEnd()).as(text).isTrue();
      }
    }
  }

  @Test
  @DisplayName("A field that is folded into a second line is read as one line")
  void folded() throws Exception {
    try (RawClient client = RawClient.to(server)) {
      Response response =
          client.ask(
              "GET /objects/k HTTP/1.1\r\nHost: h\r\nIf-None-Match: \"1\",\r\n \"2\"\r\n\r\n");
      assertThat(response.status()).isEqualTo(404);
      assertThat(client.ask(get("/health")).body()).isEqualTo("ok\n");
    }
  }

  @Test
  @DisplayName("A mistake without a body leaves the connection usable")
  void goesOn() throws Exception {
    try (RawClient client = RawClient.to(server)) {
      assertThat(client.ask(get("/objects/%zz")).status()).isEqualTo(400);
      assertThat(client.ask(get("/nothing")).status()).isEqualTo(404);
      assertThat(client.ask("\r\n" + get("/health")).body()).isEqualTo("ok\n");
    }
  }
}

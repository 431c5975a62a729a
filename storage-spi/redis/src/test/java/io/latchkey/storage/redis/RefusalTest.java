package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/** What cannot be opened or done is told clearly, and no password with it. */
class RefusalTest {
  private static final Codec<String> TEXT = Codec.utf8();
  private static final String PASSWORD = "s3cr3t/w@rd:x";
  private static final String ESCAPED = "s3cr3t%2Fw%40rd:x";

  private static AbstractThrowableAssert<?, ?> assertRefused(String url) {
    return assertThatThrownBy(() -> Storages.open(url, TEXT, TEXT).close())
        .isInstanceOf(StorageException.class)
        .satisfies(RefusalTest::assertNoPassword);
  }

  /** Neither in the message nor in the causes that a log would show. */
  private static void assertNoPassword(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    assertThat(trace.toString()).doesNotContain("s3cr3t").doesNotContain("w@rd");
  }

  @Test
  void noServer() throws Exception {
    int port = RedisServer.freePort();
    assertRefused("redis://:" + ESCAPED + "@127.0.0.1:" + port)
        .hasMessageContaining("cannot connect to redis://***@127.0.0.1:" + port + ":")
        .hasMessageContaining("Connection refused")
        .hasMessageContaining("start the server, or mend host and port")
        .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
  }

  @Test
  void aServerThatSaysNothing() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      assertRefused("redis://127.0.0.1:" + silent.getLocalPort() + "?timeout=PT0.2S")
          .hasMessageContaining("cannot connect to redis://127.0.0.1:" + silent.getLocalPort());
    }
  }

  @Test
  void passwords() throws Exception {
    try (RedisServer server = RedisServer.startWithPassword(PASSWORD)) {
      String host = "127.0.0.1:" + server.port();
      assertRefused("redis://" + host).hasMessageContaining("NOAUTH").hasMessageContaining("URL");
      assertRefused("redis://:s3cr3t@" + host)
          .hasMessageContaining("cannot log in to redis://***@" + host)
          .hasMessageContaining("WRONGPASS");
      assertRefused("redis://someone:" + ESCAPED + "@" + host).hasMessageContaining("WRONGPASS");
      // What was not escaped is misread, and told without showing what.
      assertRefused("redis://:" + PASSWORD + "@" + host).hasMessageContaining("write / as %2F");
      assertLoads("redis://:" + ESCAPED + "@" + host);
      assertLoads("redis://" + ESCAPED.replace(":", "%3A") + "@" + host);
      assertLoads("redis://default:" + ESCAPED + "@" + host + "/3");

      server
          .commands()
          .aclSetuser(
              "reader",
              io.lettuce.core.AclSetuserArgs.Builder.on()
                  .addPassword("s3cr3t2")
                  .allKeys()
                  .addCommand(io.lettuce.core.protocol.CommandType.GET)
                  .addCommand(io.lettuce.core.protocol.CommandType.PING));
      try (Storage<String, String> storage =
          Storages.open("redis://reader:s3cr3t2@" + host, TEXT, TEXT)) {
        assertThat(storage.load("absent")).isNull();
        assertThat(storage.name()).isEqualTo("redis://***@" + host);
        assertThat(storage.toString()).doesNotContain("s3cr3t2").doesNotContain("reader");
        assertThatThrownBy(() -> ((RedisStorage<String, String>) storage).store("k", "v"))
            .isInstanceOf(StorageException.class)
            .hasMessageContaining("NOPERM")
            .hasMessageContaining("ACL SETUSER")
            .satisfies(RefusalTest::assertNoPassword);
      }
    }
  }

  private static void assertLoads(String url) throws Exception {
    try (Storage<String, String> storage = Storages.open(url, TEXT, TEXT)) {
      assertThat(storage.load("absent")).isNull();
    }
  }

  @Test
  void aDatabaseThatThereIsNot() throws Exception {
    assertRefused(SharedServer.get().url() + "/99")
        .hasMessageContaining("DB index is out of range")
        .hasMessageContaining("the number after the host is the database");
  }

  @Test
  void tlsWithoutTls() throws Exception {
    assertRefused(SharedServer.get().url().replace("redis:", "rediss:") + "?timeout=PT1S")
        .hasMessageContaining("cannot connect to rediss://127.0.0.1:");
  }

  @Test
  void noCluster() throws Exception {
    assertRefused(SharedServer.get().url() + "?cluster=true").hasMessageContaining("cluster");
  }

  @Test
  void keysOfAnotherType() throws Exception {
    RedisServer server = SharedServer.get();
    String prefix = SharedServer.freshName();
    server.commands().rpush(prefix + "list", "a");
    try (RedisStorage<String, String> storage =
        RedisStorage.open(server.url() + "?prefix=" + prefix, TEXT, TEXT)) {
      assertThatThrownBy(() -> storage.load("list"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("WRONGTYPE")
          .hasMessageContaining("something else than a Redis string has the name of this object")
          .satisfies(e -> assertThat(((StorageException) e).retryable()).isFalse());
      assertThat(storage.loadAll(Set.of("list"))).isEmpty();
    }
    try (RedisStorage<String, String> storage =
        RedisStorage.open(
            server.url(), TEXT, TEXT, RedisOptions.defaults().withHash(prefix + "list"))) {
      assertThatThrownBy(() -> storage.load("k"))
          .hasMessageContaining("something else than a Redis hash has the name of this object");
      assertThatThrownBy(() -> storage.loadAll(Set.of("k", "l"))).hasMessageContaining("WRONGTYPE");
      assertThatThrownBy(() -> storage.store("k", "v")).hasMessageContaining("WRONGTYPE");
    }
  }

  @Test
  void anObjectThatTheCodecDoesNotKnow() throws Exception {
    RedisServer server = SharedServer.get();
    String prefix = SharedServer.freshName();
    server.commands().set(prefix + "k", "seven");
    try (RedisStorage<String, Long> storage =
        RedisStorage.open(server.url() + "?prefix=" + prefix, TEXT, Codec.int64())) {
      assertThatThrownBy(() -> storage.load("k"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("cannot be decoded");
      assertThat(storage.loadAsync("k"))
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .withCauseInstanceOf(StorageException.class);
    }
  }

  @Test
  void badUrls() {
    assertRefused("redis:localhost").hasMessageContaining("two slashes are missing");
    assertRefused("redis:///0").hasMessageContaining("the host is missing");
    assertRefused("redis://localhost/x").hasMessageContaining("the database is 'x'");
    assertRefused("redis://localhost/-1").hasMessageContaining("the database is '-1'");
    assertRefused("redis://localhost:99999").hasMessageContaining("the port is no number");
    assertRefused("redis://localhost:s3cr3t").hasMessageContaining("the port is no number");
    assertRefused("redis://a,b").hasMessageContaining("add cluster=true");
    assertRefused("redis://a/1?cluster=true").hasMessageContaining("only the database 0");
    assertRefused("redis://a?verifyPeer=none").hasMessageContaining("write rediss for redis");
    assertRefused("rediss://a?verifyPeer=yes").hasMessageContaining("write none, ca or full");
    assertRefused("redis://a?kind=list").hasMessageContaining("kind is 'list'");
    assertRefused("redis://a?kind=hash").hasMessageContaining("hash=NAME");
    assertRefused("redis://a?kind=string&hash=h").hasMessageContaining("kind=string has neither");
    assertRefused("redis://a?hash=h&field=f").hasMessageContaining("contradict each other");
    assertRefused("redis://a?hash=h&prefix=p").hasMessageContaining("prefix is for a Redis key");
    assertRefused("redis://a?hash=h&ttl=PT1S").hasMessageContaining("ttl is for a Redis key");
    assertRefused("redis://a?ttl=0").hasMessageContaining("ttl is '0': give a time");
    assertRefused("redis://a?ttl=PT0S").hasMessageContaining("ttl is PT0S: give a time");
    assertRefused("redis://a?timeout=PT48H").hasMessageContaining("timeout is PT48H");
    assertRefused("redis://a?heartbeat=-PT1S").hasMessageContaining("heartbeat is PT-1S");
    assertRefused("redis://a?feed=all").hasMessageContaining("feed is 'all'");
    assertRefused("redis://a?feed=default&cluster=true").hasMessageContaining("broadcast or none");
    assertRefused("redis://a?cluster=maybe").hasMessageContaining("write true or false");
    assertRefused("redis://a?db=1").hasMessageContaining("unknown parameter 'db': redis knows");
  }

  @Test
  void badOptions() {
    RedisOptions options = RedisOptions.defaults();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withTimeout(Duration.ZERO))
        .withMessage("timeout is PT0S: give a time from PT0.001S to PT24H");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withHash("h").withTtl(Duration.ofSeconds(1)))
        .withMessageContaining("leave out hash or ttl");
    assertThat(options.withCluster(true).feed()).isEqualTo(RedisOptions.Feed.BROADCAST);
    assertThatThrownBy(() -> RedisStorage.open("redis://a?prefix=p", TEXT, TEXT, options))
        .hasMessageContaining("unknown parameter 'prefix'");
    assertThatThrownBy(() -> RedisStorage.open("memory:", TEXT, TEXT))
        .hasMessageContaining("write redis://localhost:6379/0");
  }
}

package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passwords stay out of messages, names, texts and logs, also those of the pool and the driver. */
class SecretsTest {
  /** In pieces, since a separator in it may cut it. */
  private static final String[] SECRETS = {"hunter2", "swordfish"};

  private final List<String> logged = new ArrayList<>();
  private final Handler recorder =
      new Handler() {
        private final SimpleFormatter formatter = new SimpleFormatter();

        @Override
        public void publish(LogRecord event) {
          String text = formatter.format(event);
          synchronized (logged) {
            logged.add(text);
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  /** Those of the pool and the driver; others are as they are set up. */
  private final List<Logger> loggers =
      Stream.of("com.zaxxer", "org.postgresql", "io.latchkey").map(Logger::getLogger).toList();

  @TempDir private Path folder;

  @BeforeEach
  void recordAllLogs() {
    recorder.setLevel(Level.ALL);
    for (Logger logger : loggers) {
      logger.setLevel(Level.ALL);
      logger.setUseParentHandlers(false);
      logger.addHandler(recorder);
    }
  }

  @AfterEach
  void stopRecording() {
    for (Logger logger : loggers) {
      logger.removeHandler(recorder);
      logger.setUseParentHandlers(true);
      logger.setLevel(Level.OFF);
    }
  }

  private static void assertNoSecret(String where, String text) {
    for (String secret : SECRETS) {
      assertThat(text).as(where).doesNotContainIgnoringCase(secret);
    }
  }

  private void assertLogsSilent() {
    synchronized (logged) {
      assertThat(logged).as("the pool's logs are recorded").isNotEmpty();
      assertNoSecret("log", String.join("\n", logged));
    }
  }

  private static void assertSilent(Throwable failure) {
    assertThat(failure).isNotNull();
    StringWriter all = new StringWriter();
    failure.printStackTrace(new PrintWriter(all, true));
    assertNoSecret("stack trace", all.toString());
    for (Throwable one = failure; one != null; one = one.getCause()) {
      assertNoSecret("message", one.toString());
      if (one instanceof StorageException storage) {
        assertNoSecret("storage", storage.storage());
      }
    }
  }

  private static Throwable opened(String url) {
    return catchThrowable(() -> Storages.open(url, Codec.utf8(), Codec.utf8()).close());
  }

  private static int deadPort() throws Exception {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//ada:hunter2@HOST/postgres?table=t",
        "//ada:hunter2@HOST/postgres?table=",
        "//ada:hunter2@HOST/postgres?tabel=t",
        "//ada:hunter2@HOST/postgres?table=t&table=t",
        "//ada:hunter2@HOST/postgres?table=t&timeout=never",
        "//ada:hunter2@HOST/postgres?table=t&user=bob&password=swordfish",
        "//:hunter2@HOST/postgres?table=t",
        "//ada:hunter2@swordfish@HOST/postgres?table=t",
        "//ada:hunter2/swordfish@HOST/postgres?table=t",
        "//ada:hunter2?swordfish@HOST/postgres?table=t",
        "//ada:hunter2?swordfish@HOST/postgres",
        "//ada:hunter2:swordfish@HOST/postgres?table=t",
        "//ada:hunter2 swordfish@HOST/postgres?table=t&table=t",
        "//ada:hunter2'swordfish@HOST/postgres?table=t&table=t",
        "//ada:hunter2\"<swordfish>@HOST/postgres?table=t&create",
        "//ada:hunter2#swordfish@HOST/postgres?table=t",
        "//ada:hunter2%20%40%2Fswordfish@HOST/postgres?table=t",
        "//ada:%68unter2%FF@HOST/postgres?table=t",
        "//ada:100%hunter2@HOST/postgres?table=t",
        "//HOST/postgres?user=ada&password=hunter2&table=t",
        "//HOST/postgres?user=ada&password=hunter2 swordfish&table=t&table=t",
        "//HOST/postgres?user=ada&password=hunter2%26swordfish&table=t",
        "//HOST/postgres?user=ada&pasword=hunter2&table=t",
        "//HOST/postgres?user=ada&sslpassword=hunter2&ssl=true&table=t",
        "//HOST/postgres?user=ada&sslmode=verify-full&sslcert=x&sslkey=x&sslpassword=hunter2&table=t",
        "//HOST:hunter2/postgres?table=t",
        "//ada:hunter2@[HOST/postgres?table=t"
      })
  @DisplayName("PostgreSQL: whatever is wrong with a URL, what could be a secret in it is not told")
  void postgresql(String url) throws Exception {
    for (int port : new int[] {PostgresServer.shared().port(), deadPort()}) {
      String host = "127.0.0.1:" + port;
      String base = "jdbc:postgresql:" + url.replace("HOST", host);
      String quick = base.contains("timeout") ? base : base + "&timeout=PT0.5S";
      Throwable failure = opened(quick);
      assertSilent(failure);
    }
    synchronized (logged) {
      assertNoSecret("log", String.join("\n", logged));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "h2:mem:s;USER=ada;PASSWORD=hunter2?table=t",
        "h2:mem:s;password=hunter2 swordfish;user=ada?table=t&table=t",
        "h2:mem:s;PASSWORD=hunter2\\;swordfish;USER=ada?table=t",
        "h2:mem:s;PASSWORD=hunter2\\;swordfish;NOSUCH=1?table=t",
        "h2:mem:s;PASSWORD=hunter2;NOSUCH=1?table=t",
        "h2:mem:s?user=ada&password=hunter2&table=t&NOSUCH=1",
        "h2:file:FOLDER/x;CIPHER=AES;PASSWORD=hunter2?table=t",
        "h2:tcp://ada:hunter2@127.0.0.1:1/x?table=t",
        "sqlite:FOLDER/x?password=hunter2&table=t",
        "sqlserver://h;user=sa;password={hunter2;swordfish};database=x?table=t",
        "sqlserver://h;user=sa;password=hunter2 swordfish?table=t",
        "oracle:thin:ada/hunter2@h:1521/x?table=t",
        "oracle:thin:ada/hunter2@swordfish@h:1521/x?table=t",
        "mysql://ada:hunter2@h/x?table=t",
        "mysql://ada:hunter2@swordfish@h/x?password=swordfish&table=t",
        "db2://h:50000/x:user=ada;password=hunter2;?table=t",
        "hunter2@h?table=t"
      })
  @DisplayName("Other databases: the same")
  void others(String url) {
    String base = "jdbc:" + url.replace("FOLDER", folder.toString());
    Throwable failure = opened(base + "&timeout=PT0.5S");
    assertSilent(failure);
    synchronized (logged) {
      assertNoSecret("log", String.join("\n", logged));
    }
  }

  @Test
  @DisplayName("A storage that works tells its password nowhere, and uses the right one")
  void working() throws Exception {
    String table = PostgresServer.freshName();
    PostgresServer server = PostgresServer.shared();
    String role = "keeper_" + table;
    server.execute(
        "CREATE ROLE " + role + " LOGIN PASSWORD 'hunter2@/swordfish'",
        "CREATE TABLE " + table + " (key text PRIMARY KEY, value text)",
        "GRANT ALL ON " + table + " TO " + role);
    logged.clear();
    String url =
        "jdbc:postgresql://"
            + role
            + ":hunter2%40%2Fswordfish@127.0.0.1:"
            + server.port()
            + "/postgres?sslpassword=swordfish&loggerLevel=TRACE&table="
            + table;
    try (Storage<String, String> storage = Storages.open(url, Codec.utf8(), Codec.utf8())) {
      ((WritableStorage<String, String>) storage).store("k", "v");
      assertThat(storage.load("k")).isEqualTo("v");
      assertNoSecret("name", storage.name());
      assertNoSecret("text", storage.toString());
      server.execute("REVOKE ALL ON " + table + " FROM " + role);
      assertSilent(catchThrowable(() -> storage.load("k")));
      storage.close();
      assertSilent(catchThrowable(() -> storage.load("k")));
    }
    assertLogsSilent();
    server.execute("DROP ROLE " + role);
  }

  @Test
  @DisplayName("H2 takes a password with a semicolon, and no other; a wrong one is not told")
  void wrongPassword() throws Exception {
    String file = "jdbc:h2:" + folder.resolve("file");
    String right = ";USER=ada;PASSWORD=hunter2\\;swordfish?create=true&table=t";
    Storages.open(file + right, Codec.utf8(), Codec.utf8()).close();
    Storages.open(file + "?user=ada&password=hunter2;swordfish&table=t", Codec.utf8(), Codec.utf8())
        .close();
    Throwable failure = opened(file + ";USER=ada;PASSWORD=hunter2?table=t&timeout=PT0.5S");
    assertSilent(failure);
    assertThat(failure).hasMessageContaining("Give the right user and password");
    assertLogsSilent();
  }

  @Test
  @DisplayName("The parts of a URL have a text without the credentials")
  void texts() throws Exception {
    JdbcUrl url =
        JdbcUrl.of(
            StorageUrl.parse("jdbc:postgresql://ada:hunter2@h/d?password=swordfish&table=t"));
    assertThat(url).hasToString("jdbc:postgresql://h/d table t");
    assertThat(url.driverUrl()).isEqualTo("jdbc:postgresql://h/d");
  }
}

package io.latchkey.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code latchkey-bench serve}, in a JVM of its own. */
class ServeCommandTest {
  private static final String TOKEN = "s3cret-token";

  @TempDir private Path folder;

  private final HttpClient client = HttpClient.newHttpClient();

  private Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            "io.latchkey.bench.LatchkeyBench"));
    command.addAll(List.of("serve", "--port", "0"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(folder.resolve("complaints").toFile()).start();
  }

  private static String url(BufferedReader out) throws IOException {
    String line = out.readLine();
    assertThat(line).startsWith("serving ").contains(" at http://127.0.0.1:");
    return line.substring(line.indexOf("http"));
  }

  private HttpResponse<String> ask(String method, String url, String body, String token)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(url))
            .header("Authorization", "Bearer " + token)
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  @DisplayName("It serves until it is told to stop, closes the storage, and shows no token")
  void serves() throws Exception {
    Path tokenFile = Files.writeString(folder.resolve("token"), TOKEN + "\n");
    String storage = "mvstore:" + folder.resolve("objects.db");
    String[] arguments = {
      "--storage",
      storage,
      "--token-file",
      tokenFile.toString(),
      "--workers",
      "1",
      "--memory",
      "9",
      "--absent",
      "1",
      "--allow-origin",
      "http://localhost:3000",
      "--transport",
      "nio"
    };
    for (int run = 0; run < 2; run++) {
      Process process = start(arguments);
      try (BufferedReader out = process.inputReader(UTF_8)) {
        String url = url(out);
        assertThat(ask("GET", url + "objects/k", "", "other").statusCode()).isEqualTo(401);
        if (run == 0) {
          assertThat(ask("GET", url + "objects/k", "", TOKEN).statusCode()).isEqualTo(404);
          assertThat(ask("PUT", url + "objects/k", "value", TOKEN).statusCode()).isEqualTo(204);
        }
        HttpResponse<String> answer = ask("GET", url + "objects/k", "", TOKEN);
        assertThat(answer.body()).isEqualTo("value");
        assertThat(answer.headers().firstValue("access-control-allow-origin"))
            .contains("http://localhost:3000");
        process.toHandle().destroy(); // SIGTERM; by the process itself it closes the streams, too
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(out.lines()).isEmpty();
      } finally {
        process.destroyForcibly();
      }
      assertThat(Files.readString(folder.resolve("complaints"))).doesNotContain(TOKEN);
    }
  }
}

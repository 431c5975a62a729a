package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad input gets exit code 2 and one line that names the value. */
class BadInputTest {
  @TempDir static Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  static Stream<Arguments> badInput() throws Exception {
    Path notATrace = Files.writeString(directory.resolve("not-a-trace"), "1\n2\nthree\n");
    Path aTrace = Files.writeString(directory.resolve("a-trace"), "1\n2\n3\n");
    Path notAToken = Files.writeString(directory.resolve("not-a-token"), "two words\n");
    String trace = aTrace.toString();
    return Stream.of(
        bad("subcommand"),
        bad("'destroy'", "destroy"),
        bad("'--bond'", "demo", "--bond", "5"),
        bad("'many'", "demo", "--threads", "many"),
        bad("--threads must be from 1 to 1000, not 0", "demo", "--threads", "0"),
        bad("--objects must be from 1", "demo", "--objects", "-1"),
        bad("--bound must be from 0", "demo", "--bound", "-1"),
        bad("--callers must be from 1", "demo", "--callers", "0"),
        bad("--writes must be from 0", "demo", "--writes", "-5"),
        bad("--value-size must be from 0", "demo", "--value-size", "-1"),
        bad("--stampede-latency must be from 0", "demo", "--stampede-latency", "-1"),
        bad("--seconds must be more than 0", "demo", "--seconds", "0"),
        bad("not NaN", "demo", "--seconds", "NaN"),
        bad("--skew must be from 0 to 10, not -1.0", "demo", "--skew", "-1"),
        bad("--format lirs needs a trace", "demo", "--format", "lirs"),
        bad("nowhere.gz does not exist", "demo", "--trace", directory + "/nowhere.gz"),
        bad("is a directory", "demo", "--trace", directory.toString()),
        bad("record 3: expected a decimal", "demo", "--trace", notATrace.toString()),
        bad("'arcane': use one of lirs", "demo", "--trace", trace, "--format", "arcane"),
        bad("--objects and --trace exclude", "demo", "--trace", trace, "--objects", "9"),
        bad("--skew and --trace exclude", "demo", "--trace", trace, "--skew", "1"),
        bad("unknown mode 'miss': use one of hit", "run", "--mode", "miss"),
        bad("unknown shape 'round': use one of serial", "run", "--shape", "round"),
        bad("unknown implementation 'ehcache'", "run", "--impl", "latchkey,ehcache"),
        bad("'direct'", "run", "--impl", "direct"),
        bad("unknown keys 'random'", "run", "--keys", "random"),
        bad("zipf", "run", "--mode", "nohit", "--keys", "zipf"),
        bad("size must be from 1", "run", "--size", "-1"),
        bad("size must be from 0 to 65536 for nohit", "run", "--mode", "nohit", "--size", "100000"),
        bad("number of threads, 64", "run", "--mode", "startup", "--size", "9", "--threads", "64"),
        bad("--threads must be from 2", "run", "--threads", "1"),
        bad("--forks must be from 1", "run", "--forks", "0"),
        bad("--iterations must be from 1", "run", "--iterations", "0"),
        bad("--time must be from 1", "run", "--time", "0"),
        bad("is a directory", "run", "--json", directory.toString()),
        bad("there is no directory", "run", "--json", directory + "/none/x.json"),
        bad("--storage", "run", "--storage", "nothing:here"),
        bad("'collide' are no numbers", "run", "--keys", "collide", "--storage", "memory:x"),
        bad("--value-size must be from 0", "run", "--value-size", "-1"),
        bad("--latency must be from 0", "run", "--latency", "-1"),
        bad("does not exist", "run", "--keys", "trace:" + directory + "/nowhere"),
        bad("record 3", "run", "--keys", "trace:lirs:" + notATrace),
        bad("mixed is for zipf and trace", "run", "--mode", "mixed", "--keys", "seq"),
        bad("size must be from 1", "run", "--mode", "hit", "--size", "0"),
        bad("'--mode=MODE'", "ratio", "--peer", "chm"),
        bad("'--peer=IMPL'", "ratio", "--mode", "hit"),
        bad("unknown implementation 'ehcache'", "ratio", "--mode", "hit", "--peer", "ehcache"),
        bad("is the same as --ours", "ratio", "--mode", "hit", "--peer", "latchkey"),
        bad("unknown metric 'luck'", "ratio --mode hit --peer chm --metric luck".split(" ")),
        bad("--pairs must be from 1", "ratio --mode hit --peer chm --pairs 0".split(" ")),
        bad("--threads must be from 1", "ratio --mode hit --peer chm --threads 0".split(" ")),
        bad("has no cache to compare", "ratio --mode noop-storage --peer chm".split(" ")),
        bad("1 or more for cache2k", "ratio --mode nohit --peer cache2k --size 0".split(" ")),
        bad("--callers must be from 1 to 10000, not 0", "flight", "--callers", "0"),
        bad("--rounds must be from 1", "flight", "--rounds", "0"),
        bad("--forks must be from 1", "flight", "--forks", "-1"),
        bad("unknown threads 'green': use one of platform", "flight", "--threads", "green"),
        bad("unknown implementation 'ehcache'", "flight", "--impl", "ehcache"),
        bad("caches nothing", "flight", "--impl", "direct"),
        bad("two files are needed, the old run and the new one, not 0", "compare"),
        bad("not 1", "compare", trace),
        bad("--old and --new need --within", "compare", "--old", "chm"),
        bad("needs --old IMPL and --new IMPL", "compare", "--within", trace),
        bad("--alpha must be more than 0", "compare", "--alpha", "0"),
        bad("unknown samples 'all'", "compare", "--samples", "all"),
        bad("--length must be from 2", "expiry", "--length", "1"),
        bad("--cut must be from 1 to 99, not 100", "expiry", "--cut", "100"),
        bad("--load must be from 1", "neighbour", "--load", "0"),
        bad("--forks must be from 1", "neighbour", "--forks", "0"),
        bad("unknown implementation 'ehcache'", "neighbour", "--impl", "ehcache"),
        bad("--entries must be from 1 to", "memory", "--entries", "0"),
        bad("unknown expiry 'idle': use one of none, write", "memory", "--expiry", "idle"),
        bad("unknown implementation 'ehcache'", "memory", "--impl", "ehcache"),
        bad("none of chm has an expiry", "memory", "--impl", "chm", "--expiry", "write"),
        bad("is a directory", "memory", "--json", directory.toString()),
        bad("unknown target 'hits': use hit", "http", "--target", "hits"),
        bad("unknown transport 'udp': use one of nio", "http", "--transport", "udp"),
        bad("unknown buffers 'none'", "http", "--buffers", "none"),
        bad("--workers must be from 1", "http", "--workers", "0"),
        bad("--pipeline must be from 1 to 128", "http", "--pipeline", "129"),
        bad("--seconds must be more than 0", "http", "--seconds", "0"),
        bad("is a directory", "http", "--json", directory.toString()),
        bad("'--storage=URL'", "serve"),
        bad("no provider opens the scheme 'nowhere'", "serve", "--storage", "nowhere:"),
        bad("port must be from 0 to 65535, not -1", "serve --storage memory: --port -1".split(" ")),
        bad("workers must be from 1", "serve --storage memory: --workers 0".split(" ")),
        bad("'UDP'", "serve --storage memory: --transport UDP".split(" ")),
        bad("--memory must be from 0", "serve --storage memory: --memory -1".split(" ")),
        bad("nowhere does not", "serve --storage memory: --token-file nowhere".split(" ")),
        bad("printable ASCII", "serve", "--storage", "memory:", "--token-file", notAToken + ""),
        bad("--tls-cert and --tls-key", "serve --storage memory: --tls-cert x".split(" ")),
        bad("no.pem", "serve --storage memory: --tls-cert no.pem --tls-key no.pem".split(" ")),
        bad("192.0.2.1", "serve --storage memory: --host 192.0.2.1".split(" ")));
  }

  private static Arguments bad(String message, String... arguments) {
    return Arguments.of(message, arguments);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void badInput(String message, String[] arguments) {
    assertThat(commandLine.execute(arguments)).isEqualTo(2);
    assertThat(commandLine.errLines())
        .singleElement()
        .asString()
        .startsWith("latchkey-bench")
        .contains(message)
        .doesNotContain("Exception");
    assertThat(commandLine.out()).isEmpty();
  }

  @Test
  @DisplayName("every command has --help, on standard output, with exit code 0")
  void help() {
    assertThat(List.of(help("--help"), help("--version"))).allMatch(said -> said.contains("bench"));
    String commands =
        "backend compare demo expiry flight http memory neighbour ratio replay report run serve";
    for (String command : commands.split(" ")) {
      assertThat(help(command + " --help"))
          .containsPattern(
              "(?s)Usage: latchkey-bench " + command + ".*\\w: *\\R? *latchkey-bench ");
    }
  }

  private static String help(String arguments) {
    CommandLineFixture asked = new CommandLineFixture();
    assertThat(asked.execute(arguments.split(" "))).isZero();
    assertThat(asked.errLines()).isEmpty();
    return asked.out();
  }

  @Test
  @DisplayName("an unknown implementation gets a list of those that can be used")
  void unknownImplementation() {
    assertThat(commandLine.execute("run", "--impl", "nope")).isEqualTo(2);
    assertThat(commandLine.errLines())
        .singleElement()
        .asString()
        .contains("latchkey-future", "chm-future")
        .doesNotContain("direct");
  }
}

package io.latchkey.cache.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Follows the guide for authors of backends to the letter: its files, its tests. */
class BackendGuideTest {
  private static final String GUIDE = "storage-spi/README.md";

  /** A file's name in the text, and the block that comes next. */
  private static final Pattern FILE =
      Pattern.compile("`((?:src/|pom)[^`\\s]*)`:\\n\\n```[a-z]+\\n(.*?)\\n```", Pattern.DOTALL);

  private static final Pattern ARTIFACT =
      Pattern.compile(
          "<artifactId>([^<]*)</artifactId>\\s*<version>([^<]*)</version>", Pattern.DOTALL);

  @TempDir private Path project;

  /** The files that the guide has its readers write. */
  private static Map<String, String> files() {
    Map<String, String> files = new LinkedHashMap<>();
    Matcher matcher = FILE.matcher(Documents.read(Documents.ROOT.resolve(GUIDE)));
    while (matcher.find()) {
      files.put(matcher.group(1), matcher.group(2) + "\n");
    }
    return files;
  }

  @Test
  @DisplayName("What the guide has its readers write compiles, and its tests pass")
  void followed() throws Exception {
    Map<String, String> files = files();
    assertThat(files.keySet())
        .containsExactly(
            "pom.xml",
            "src/main/java/dir/DirectoryStorage.java",
            "src/test/java/dir/DirectoryStorageTest.java",
            "src/main/java/dir/DirectoryStorageProvider.java",
            "src/main/resources/META-INF/services/io.latchkey.storage.StorageProvider",
            "src/test/java/dir/CacheTest.java");
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = project.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    Path classes = compile("src/main/java", "target/classes");
    Path tests = compile("src/test/java", "target/test-classes");

    TestExecutionSummary summary =
        run(
            List.of(classes, project.resolve("src/main/resources"), tests),
            "dir.DirectoryStorageTest",
            "dir.CacheTest");

    assertThat(summary.getFailures())
        .extracting(failure -> failure.getTestIdentifier() + ": " + failure.getException())
        .isEmpty();
    assertThat(summary.getTestsSucceededCount()).isGreaterThan(25);
    assertThat(summary.getTestsSkippedCount()).isZero();
  }

  private Path compile(String sources, String target) throws Exception {
    Path folder = Files.createDirectories(project.resolve(target));
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--release",
                "17",
                "-Xlint:all,-processing,-try,-path,-classfile",
                "-Werror",
                "-proc:none",
                "-d",
                folder.toString(),
                "-cp",
                project.resolve("target/classes")
                    + System.getProperty("path.separator")
                    + System.getProperty("java.class.path")));
    Documents.javaFiles(project.resolve(sources)).forEach(file -> arguments.add(file.toString()));
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, System.out, System.err, arguments.toArray(new String[0]));
    assertThat(result).as("javac of %s", sources).isZero();
    return folder;
  }

  private static TestExecutionSummary run(List<Path> path, String... tests) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (Path part : path) {
      urls.add(part.toUri().toURL());
    }
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), before)) {
      Thread.currentThread().setContextClassLoader(loader);
      LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
      for (String test : tests) {
        request.selectors(selectClass(loader.loadClass(test)));
      }
      Launcher launcher = LauncherFactory.create();
      SummaryGeneratingListener listener = new SummaryGeneratingListener();
      launcher.execute(request.build(), listener);
      return listener.getSummary();
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  @Test
  @DisplayName("The guide's project wants the artifacts and versions of this one")
  void versions() throws Exception {
    Map<String, String> here = new LinkedHashMap<>();
    String parent = Documents.read(Documents.ROOT.resolve("pom.xml"));
    Matcher version = Pattern.compile("<version>([^<]*)</version>").matcher(parent);
    assertThat(version.find()).isTrue();
    try (Stream<Path> poms = Files.walk(Documents.ROOT, 3)) {
      for (Path pom : poms.filter(file -> file.endsWith("pom.xml")).toList()) {
        Matcher own =
            Pattern.compile("</parent>\\s*<artifactId>([^<]*)</artifactId>")
                .matcher(Documents.read(pom));
        if (own.find()) {
          here.put(own.group(1), version.group(1));
        }
      }
    }
    Matcher junit = Pattern.compile("<junit.version>([^<]*)<").matcher(parent);
    assertThat(junit.find()).isTrue();
    here.put("junit-jupiter", junit.group(1));
    // Old versions of Maven take plugins that know neither release 17 nor JUnit's platform.
    List<String> plugins = List.of("maven-compiler-plugin", "maven-surefire-plugin");
    Matcher artifact = ARTIFACT.matcher(parent);
    while (artifact.find()) {
      if (plugins.contains(artifact.group(1))) {
        here.put(artifact.group(1), artifact.group(2));
      }
    }

    Matcher wanted = ARTIFACT.matcher(String.valueOf(files().get("pom.xml")));
    Map<String, String> found = new LinkedHashMap<>();
    while (wanted.find()) {
      if (!wanted.group(1).equals("latchkey-storage-dir")) {
        found.put(wanted.group(1), wanted.group(2));
      }
    }
    assertThat(found).hasSize(4 + plugins.size()).containsKeys(plugins.toArray(new String[0]));
    assertThat(here).containsAllEntriesOf(found);
  }
}

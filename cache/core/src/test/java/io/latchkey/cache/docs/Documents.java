package io.latchkey.cache.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the examples in the documents and the Javadoc of this project. */
final class Documents {
  static final Path ROOT =
      Path.of(
          Objects.requireNonNull(
              System.getProperty("latchkey.root"),
              "set the system property latchkey.root to the folder of the project"));

  private static final Pattern IN_JAVADOC =
      Pattern.compile("<pre>\\{@code\n(.*?)\n[ *]*\\}</pre>", Pattern.DOTALL);
  private static final Pattern JAVADOC_MARGIN = Pattern.compile("^ *\\* ?", Pattern.MULTILINE);

  private Documents() {}

  /** A piece of text and the file that it stands in. */
  record Example(Path file, String text) {
    boolean isProgram() {
      return text.contains("static void main(");
    }

    @Override
    public String toString() {
      return "the example in " + ROOT.relativize(file) + ":\n" + text + "\n";
    }
  }

  /** The fenced blocks of a Markdown file that are in a language. */
  static List<Example> blocks(String document, String language) {
    Path file = ROOT.resolve(document);
    Matcher matcher =
        Pattern.compile(
                "^( *)```" + language + "\n(.*?)\n\\1```$", Pattern.DOTALL | Pattern.MULTILINE)
            .matcher(read(file));
    return matcher.results().map(found -> new Example(file, found.group(2).stripIndent())).toList();
  }

  /** The code blocks in the Javadoc of a module's main sources. */
  static List<Example> javadoc(String module) {
    List<Example> examples = new ArrayList<>();
    for (Path file : javaFiles(ROOT.resolve(module).resolve("src/main/java"))) {
      Matcher matcher = IN_JAVADOC.matcher(read(file));
      while (matcher.find()) {
        String text = JAVADOC_MARGIN.matcher(matcher.group(1)).replaceAll("");
        examples.add(new Example(file, text));
      }
    }
    return examples;
  }

  /** The Java files of a folder and those below it. */
  static List<Path> javaFiles(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.latchkey.cache.architecture;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheBuilder;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import java.io.File;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The modules as their descriptors declare them; all other tests run on the class path. */
class ModuleGraphTest {
  private static final String SPI = "io.latchkey.storage";
  private static final String CACHE = "io.latchkey.cache";

  /** All that a user of the cache has to have. */
  private static final List<Path> MODULE_PATH =
      Stream.of(
              CacheBuilder.class,
              Storage.class,
              MessagePassingQueue.class,
              MpscUnboundedVarHandleArrayQueue.class)
          .map(ModuleGraphTest::location)
          .toList();

  @Test
  @DisplayName("The SPI requires the JDK's base only and exports its one package")
  void descriptorOfTheSpi() throws Exception {
    ModuleDescriptor spi = descriptor(SPI, Storage.class);
    assertThat(spi.requires())
        .extracting(Requires::name)
        .containsExactlyInAnyOrder("java.base", "org.jspecify");
    assertThat(spi.exports()).extracting(Exports::source).containsExactly(SPI);
  }

  @Test
  @DisplayName("The cache requires the SPI and JCTools only")
  void requirementsOfTheCache() throws Exception {
    assertThat(descriptor(CACHE, CacheBuilder.class).requires())
        .extracting(Requires::name)
        .containsExactlyInAnyOrder(
            "java.base", "org.jspecify", SPI, "org.jctools.core", "org.jctools.core.jdk11");
  }

  @Test
  @DisplayName("The cache exports its API and not its internals")
  void internalsAreNotExported() throws Exception {
    ModuleDescriptor cache = descriptor(CACHE, CacheBuilder.class);
    assertThat(cache.exports()).extracting(Exports::source).containsExactly(CACHE);
    assertThat(cache.opens()).isEmpty();
    assertThat(cache.packages()).contains("io.latchkey.cache.internal");
  }

  @Test
  @DisplayName("A module that uses the cache compiles without JSpecify and without a warning")
  void usersCompileWithoutJspecify(@TempDir Path folder) throws Exception {
    Path module = folder.resolve("module-info.java");
    Path user = Files.createDirectories(folder.resolve("user")).resolve("User.java");
    Files.writeString(module, "module user { requires io.latchkey.cache; }");
    Files.writeString(
        user,
        """
        package user;

        class User {
          static Integer use(String key) {
            try (var cache = io.latchkey.cache.Cache.over(String::length).build()) {
              return cache.get(key);
            }
          }
        }
        """);
    String modulePath =
        MODULE_PATH.stream().map(Path::toString).collect(joining(File.pathSeparator));
    StringWriter said = new StringWriter();

    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = javac.getStandardFileManager(null, null, null)) {
      boolean compiled =
          javac
              .getTask(
                  said,
                  files,
                  null,
                  List.of("-Xlint:all", "-Werror", "-p", modulePath, "-d", folder.toString()),
                  null,
                  files.getJavaFileObjects(module, user))
              .call();
      assertThat(compiled).as(said.toString()).isTrue();
    }
  }

  @Test
  @DisplayName("A storage is opened and a cache used on the module path, without JSpecify")
  void worksOnTheModulePath() throws Exception {
    ModuleFinder finder = ModuleFinder.of(MODULE_PATH.toArray(Path[]::new));
    Configuration graph =
        ModuleLayer.boot().configuration().resolve(finder, ModuleFinder.of(), Set.of(CACHE));
    ClassLoader loader =
        ModuleLayer.defineModulesWithOneLoader(
                graph, List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader())
            .layer()
            .findLoader(CACHE);
    Class<?> codec = loader.loadClass(Codec.class.getName());
    Class<?> cache = loader.loadClass(Cache.class.getName());
    Class<?> builder = loader.loadClass(CacheBuilder.class.getName());
    assertThat(cache.getModule().getName()).isEqualTo(CACHE);

    Object utf8 = codec.getMethod("utf8").invoke(null);
    Object building =
        cache.getMethod("over", String.class, codec, codec).invoke(null, "memory:", utf8, utf8);
    Object built = builder.getMethod("build").invoke(building);
    try (AutoCloseable closing = (AutoCloseable) built) {
      cache.getMethod("put", Object.class, Object.class).invoke(built, "key", "value");
      assertThat(cache.getMethod("get", Object.class).invoke(built, "key")).isEqualTo("value");
    }
  }

  private static ModuleDescriptor descriptor(String name, Class<?> inIt) {
    return ModuleFinder.of(location(inIt)).find(name).orElseThrow().descriptor();
  }

  /** The folder or jar that a class was loaded from. */
  private static Path location(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }
}

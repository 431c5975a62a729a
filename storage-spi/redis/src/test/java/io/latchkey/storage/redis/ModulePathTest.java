package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The storage as a module; all other tests run on the class path. */
class ModulePathTest {
  private static final String MODULE = "io.latchkey.storage.redis";

  /** What users of the module have on their path, of what the tests have. */
  private static final Pattern NEEDED =
      Pattern.compile(
          "(lettuce-core|netty|reactor-core|reactive-streams|redis-authx-core|slf4j-api)-.*\\.jar");

  @Test
  @DisplayName("The module provides the scheme redis, and its storage works on the module path")
  void opensOnTheModulePath() throws Exception {
    Configuration graph =
        ModuleLayer.boot()
            .configuration()
            .resolve(ModuleFinder.of(path()), ModuleFinder.of(), Set.of(MODULE));
    ClassLoader loader =
        ModuleLayer.defineModulesWithOneLoader(
                graph, List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader())
            .layer()
            .findLoader(MODULE);
    Class<?> codec = loader.loadClass(Codec.class.getName());
    Class<?> storages = loader.loadClass(Storages.class.getName());
    Class<?> storage = loader.loadClass(Storage.class.getName());
    Class<?> writable = loader.loadClass(WritableStorage.class.getName());
    String url = SharedServer.get().url() + "?prefix=" + SharedServer.freshName();

    Thread.currentThread().setContextClassLoader(loader); // where Lettuce looks for its classes
    Object utf8 = codec.getMethod("utf8").invoke(null);
    Object opened =
        storages.getMethod("open", String.class, codec, codec).invoke(null, url, utf8, utf8);
    try (AutoCloseable closing = (AutoCloseable) opened) {
      assertThat(opened.getClass().getModule().getName()).isEqualTo(MODULE);
      writable.getMethod("store", Object.class, Object.class).invoke(opened, "key", "value");
      assertThat(storage.getMethod("load", Object.class).invoke(opened, "key")).isEqualTo("value");
    }
  }

  @AfterEach
  void resetContextClassLoader() {
    Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
  }

  private static Path[] path() throws Exception {
    // Surefire hides the class path in the manifest of a jar, and tells the real one here.
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Path own = location(RedisStorageProvider.class);
    Path spi = location(Storage.class);
    return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
        .splitAsStream(all)
        .map(Path::of)
        .filter(
            entry ->
                entry.equals(own)
                    || entry.equals(spi)
                    || NEEDED.matcher(entry.getFileName().toString()).matches())
        .toArray(Path[]::new);
  }

  /** The folder or jar that a class was loaded from. */
  private static Path location(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}

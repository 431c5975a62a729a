package io.latchkey.storage.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.Cache;
import io.latchkey.storage.Storage;
import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The server as a module; all other tests run on the class path. */
class ServerModulePathTest {
  private static final String MODULE = "io.latchkey.storage.http";

  /** A folder before it is packaged, and a jar after it. */
  private static Path location(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isLibrary(Path entry) {
    return entry.getFileName().toString().matches("(netty|jctools)-.*\\.jar")
        && !entry.getFileName().toString().contains("pkitesting");
  }

  @Test
  @DisplayName("The server runs on the module path, with the cache among the roots")
  void runsOnTheModulePath() throws Exception {
    ModuleFinder finder =
        ModuleFinder.of(
            Stream.concat(
                    Stream.of(HttpCacheServer.class, Cache.class, Storage.class)
                        .map(ServerModulePathTest::location),
                    Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(Path::of)
                        .filter(ServerModulePathTest::isLibrary))
                .toArray(Path[]::new));
    Configuration graph =
        ModuleLayer.boot()
            .configuration()
            .resolveAndBind(
                finder,
                ModuleFinder.of(),
                Set.of(MODULE, "io.latchkey.cache", "io.netty.transport.classes.epoll"));
    ClassLoader loader =
        ModuleLayer.defineModulesWithOneLoader(
                graph, List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader())
            .layer()
            .findLoader(MODULE);
    Class<?> type = loader.loadClass(HttpCacheServer.class.getName());
    assertThat(type.getModule().getName()).isEqualTo(MODULE);
    Class<?> transport = loader.loadClass(Transport.class.getName());
    Object builder = type.getMethod("over", String.class).invoke(null, "memory:");
    builder
        .getClass()
        .getMethod("transport", transport)
        .invoke(builder, transport.getField("NIO").get(null));
    Object server = builder.getClass().getMethod("start").invoke(builder);
    try (AutoCloseable closing = (AutoCloseable) server) {
      String url = (String) type.getMethod("url").invoke(server);
      HttpURLConnection health =
          (HttpURLConnection) URI.create(url + "health").toURL().openConnection();
      assertThat(health.getResponseCode()).isEqualTo(200);
    }
  }
}

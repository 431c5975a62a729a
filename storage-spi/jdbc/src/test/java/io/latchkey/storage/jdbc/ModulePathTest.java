package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.zaxxer.hikari.HikariDataSource;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.h2.Driver;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** The storage as a module; all other tests run on the class path. */
class ModulePathTest {
  private static final String MODULE = "io.latchkey.storage.jdbc";
  private static final String POSTGRESQL = "org.postgresql.jdbc";

  private static ClassLoader loader(String driverModule, Class<?> driver) {
    ModuleFinder finder =
        ModuleFinder.of(
            location(JdbcStorageProvider.class),
            location(Storage.class),
            location(HikariDataSource.class),
            location(Logger.class),
            location(Gson.class),
            location(driver));
    Configuration graph =
        ModuleLayer.boot()
            .configuration()
            .resolveAndBind(finder, ModuleFinder.of(), Set.of(MODULE, driverModule));
    ModuleLayer layer =
        ModuleLayer.defineModulesWithOneLoader(
                graph, List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader())
            .layer();
    assertThat(layer.findModule(POSTGRESQL).isPresent()).isEqualTo(driverModule.equals(POSTGRESQL));
    return layer.findLoader(MODULE);
  }

  private static void assertWorks(ClassLoader loader, String url) throws Exception {
    Class<?> codec = loader.loadClass(Codec.class.getName());
    Class<?> storages = loader.loadClass(Storages.class.getName());
    Class<?> storage = loader.loadClass(Storage.class.getName());
    Class<?> writable = loader.loadClass(WritableStorage.class.getName());
    Object utf8 = codec.getMethod("utf8").invoke(null);
    Object opened =
        storages.getMethod("open", String.class, codec, codec).invoke(null, url, utf8, utf8);
    try (AutoCloseable closing = (AutoCloseable) opened) {
      assertThat(opened.getClass().getModule().getName()).isEqualTo(MODULE);
      writable.getMethod("store", Object.class, Object.class).invoke(opened, "key", "value");
      assertThat(storage.getMethod("load", Object.class).invoke(opened, "key")).isEqualTo("value");
    }
  }

  @Test
  @DisplayName("The module works with H2 on the module path, and without PostgreSQL's driver")
  void withoutPostgresql(@TempDir Path folder) throws Exception {
    assertWorks(
        loader("com.h2database", Driver.class),
        "jdbc:h2:" + folder.resolve("file") + "?create=true&table=objects");
  }

  @Test
  @DisplayName("The module works with PostgreSQL's driver on the module path")
  void withPostgresql() throws Exception {
    assertWorks(
        loader(POSTGRESQL, org.postgresql.Driver.class),
        PostgresServer.shared().url() + "&create=true&table=" + PostgresServer.freshName());
  }

  /** The folder or jar that a class was loaded from. */
  private static Path location(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }
}

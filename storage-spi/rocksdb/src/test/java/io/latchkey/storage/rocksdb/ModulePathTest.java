package io.latchkey.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;

/** The storage as a module; all other tests run on the class path. */
class ModulePathTest {
  private static final String MODULE = "io.latchkey.storage.rocksdb";

  @Test
  @DisplayName("The module provides the scheme rocksdb, and its storage works on the module path")
  void opensOnTheModulePath(@TempDir Path folder) throws Exception {
    ModuleFinder finder =
        ModuleFinder.of(
            location(RocksStorageProvider.class), location(Storage.class), location(RocksDB.class));
    Configuration graph =
        ModuleLayer.boot().configuration().resolve(finder, ModuleFinder.of(), Set.of(MODULE));
    ClassLoader loader =
        ModuleLayer.defineModulesWithOneLoader(
                graph, List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader())
            .layer()
            .findLoader(MODULE);
    Class<?> codec = loader.loadClass(Codec.class.getName());
    Class<?> storages = loader.loadClass(Storages.class.getName());
    Class<?> storage = loader.loadClass(Storage.class.getName());
    Class<?> writable = loader.loadClass(WritableStorage.class.getName());
    String url = "rocksdb:" + folder.resolve("file");

    Object utf8 = codec.getMethod("utf8").invoke(null);
    Object opened =
        storages.getMethod("open", String.class, codec, codec).invoke(null, url, utf8, utf8);
    try (AutoCloseable closing = (AutoCloseable) opened) {
      assertThat(opened.getClass().getModule().getName()).isEqualTo(MODULE);
      writable.getMethod("store", Object.class, Object.class).invoke(opened, "key", "value");
      assertThat(storage.getMethod("load", Object.class).invoke(opened, "key")).isEqualTo("value");
    }
  }

  /** The folder or jar that a class was loaded from. */
  private static Path location(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }
}

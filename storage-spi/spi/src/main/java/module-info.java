/** The storage SPI: the interfaces of storages, their URLs, and the storage in memory. */
module io.latchkey.storage {
  requires static org.jspecify;

  exports io.latchkey.storage;

  uses io.latchkey.storage.StorageProvider;

  provides io.latchkey.storage.StorageProvider with
      io.latchkey.storage.MemoryStorageProvider;
}

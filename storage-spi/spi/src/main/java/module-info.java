/** The storage SPI. */
module io.latchkey.storage {
  requires static org.jspecify;

  exports io.latchkey.storage;

  uses io.latchkey.storage.StorageProvider;
}

/** The storage in one file, on H2 MVStore. */
module io.latchkey.storage.mvstore {
  requires transitive io.latchkey.storage;
  requires com.h2database.mvstore;
  requires static org.jspecify;

  exports io.latchkey.storage.mvstore;

  provides io.latchkey.storage.StorageProvider with
      io.latchkey.storage.mvstore.MvStorageProvider;
}

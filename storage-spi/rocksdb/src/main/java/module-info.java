/** The storage in a folder, on RocksDB. */
module io.latchkey.storage.rocksdb {
  requires transitive io.latchkey.storage;
  requires rocksdbjni; // named after its file, with and without a classifier
  requires static org.jspecify;

  exports io.latchkey.storage.rocksdb;

  provides io.latchkey.storage.StorageProvider with
      io.latchkey.storage.rocksdb.RocksStorageProvider;
}

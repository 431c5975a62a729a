/**
 * The storage in a folder, on RocksDB: {@link io.latchkey.storage.rocksdb.RocksStorage}.
 *
 * <p>A call goes from the caller's thread to {@code Revisions}, which knows where objects and their
 * old versions are, and from there to the {@code Database}, which lets nothing reach the native
 * code once that is closed. {@code Folder} looks at the files before RocksDB does.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage.rocksdb;

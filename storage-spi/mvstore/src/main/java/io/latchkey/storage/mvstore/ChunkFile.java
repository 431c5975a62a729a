package io.latchkey.storage.mvstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipOutputStream;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.RandomAccessStore;
import org.h2.mvstore.SFChunk;

/**
 * MVStore's file, made so that a killed process loses nothing that was acknowledged.
 *
 * <p>MVStore writes a chunk for each commit and, only now and then, the file's header, which names
 * a chunk. When it opens a file it looks for the newest chunks itself, and believes a chunk whose
 * two ends are whole. That can fall back to an older state without a word, when the chunk of the
 * header was overwritten, and can believe a chunk that is torn in the middle. Here
 *
 * <ul>
 *   <li>every chunk is followed by a header that names it, and a commit is acknowledged after that;
 *   <li>so space is only reused when a later header is written that does not need it;
 *   <li>opening takes the state that the header names: other chunks are not looked for;
 *   <li>if that state is not there, the file was damaged or cut off ({@link #isCutOff}).
 * </ul>
 *
 * With {@code sync} the disk is waited for before the header is written and after it, which carries
 * the same over to a power failure. Without it the operating system writes when it likes.
 *
 * <p>Closing it leaves the file open: after a failed write another view of it is opened.
 */
final class ChunkFile extends RandomAccessStore {
  private static final String BLOCK_FIELD = "block";
  private static final String CHUNK_FIELD = "chunk";
  private static final String VERSION_FIELD = "version";

  private static final String CHECKSUM_FIELD = "fletcher";

  /**
   * Tells MVStore to take a short cut when opening. It is left out, because the short cut misses
   * the chunk that the header names when a dead one was overwritten after it.
   */
  private static final String CLEAN_FIELD = "clean";

  /** The unit of space in the file. */
  private static final int BLOCK_BYTES = 4096;

  /** Shrinking costs more than a write, so it waits for this share of the file to be free. */
  private static final int SHRINK_PERCENT = 25;

  private final FileBytes bytes;
  private final boolean sync;

  private volatile boolean opening;
  private volatile boolean closing;

  ChunkFile(FileBytes bytes, String name, MvOptions options) throws IOException {
    super(new HashMap<>(Map.of("cacheSize", options.cacheMegabytes())));
    this.bytes = bytes;
    this.sync = options.sync();
    this.opening = !options.recover();
    init(name, false);
    setSize(bytes.size());
  }

  /**
   * Whether the file is one whose set-up was killed between the two copies of its first header. A
   * header that names a chunk is none of that kind.
   */
  static boolean isUnfinished(FileBytes bytes) throws IOException {
    if (bytes.size() != BLOCK_BYTES) {
      return false;
    }
    byte[] block = new byte[BLOCK_BYTES];
    bytes.read(0, block);
    String text = new String(block, StandardCharsets.ISO_8859_1);
    return text.startsWith("H:2,")
        && text.contains(CHECKSUM_FIELD + ":")
        && !text.contains(CHUNK_FIELD + ":");
  }

  /** Whether any state was found, be it the one that the header names or not. */
  boolean hasState() {
    return lastChunk != null;
  }

  /** Whether the state found is not the one that the header names. */
  boolean isCutOff() {
    SFChunk found = lastChunk;
    if (found == null) {
      return headerField(VERSION_FIELD) > 0;
    }
    return found.version != headerField(VERSION_FIELD) || found.block != headerField(BLOCK_FIELD);
  }

  private long headerField(String name) {
    return DataUtils.readHexLong(storeHeader, name, 0);
  }

  /** To be called when MVStore has opened the file. */
  void opened() {
    opening = false;
  }

  long bytesWritten() {
    return writeBytes.get();
  }

  /** From now on the file is shrunk as far as it can be. */
  void prepareClose() {
    closing = true;
  }

  @Override
  public ByteBuffer readFully(SFChunk chunk, long position, int length) {
    byte[] target = new byte[length];
    try {
      bytes.read(position, target);
    } catch (IOException e) {
      throw failure(DataUtils.ERROR_READING_FAILED, "reading", e);
    }
    readCount.incrementAndGet();
    readBytes.addAndGet(length);
    return ByteBuffer.wrap(target);
  }

  /**
   * The size of the file. While MVStore opens it, only that of the header, so that MVStore does not
   * look for chunks anywhere but where the header, and the state that it names, say that they are.
   */
  @Override
  public long size() {
    long size = super.size();
    return opening ? Math.min(size, 2 * BLOCK_BYTES) : size;
  }

  @Override
  protected void writeFully(SFChunk chunk, long position, ByteBuffer source) {
    if (chunk != null) {
      write(position, source);
      sync();
      writeHeader(chunk);
      sync();
    } else if (position > 0) {
      // A chunk that moves.
      write(position, source);
    } else if (lastChunk == null) {
      // The header of a new file.
      write(position, source);
      sync();
    }
    // MVStore's own headers name a chunk that the header names already.
  }

  private void write(long position, ByteBuffer source) {
    int length = source.remaining();
    try {
      bytes.write(position, source.array(), source.arrayOffset() + source.position(), length);
    } catch (IOException e) {
      throw failure(DataUtils.ERROR_WRITING_FAILED, "writing", e);
    }
    source.position(source.limit());
    setSize(Math.max(size(), position + length));
    writeCount.incrementAndGet();
    writeBytes.addAndGet(length);
  }

  /**
   * The format is MVStore's: the fields and their checksum, in the first block or the second.
   * MVStore takes the newer one that is whole. The two are written in turn, so that a write that
   * stops half-way spoils at most the one that is not needed.
   */
  private void writeHeader(SFChunk chunk) {
    storeHeader.put(BLOCK_FIELD, chunk.block);
    storeHeader.put(CHUNK_FIELD, chunk.id);
    storeHeader.put(VERSION_FIELD, chunk.version);
    storeHeader.remove(CLEAN_FIELD);
    StringBuilder text = new StringBuilder(128);
    DataUtils.appendMap(text, storeHeader);
    byte[] summed = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    DataUtils.appendMap(text, CHECKSUM_FIELD, DataUtils.getFletcher32(summed, 0, summed.length));
    byte[] header = text.append('\n').toString().getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES).put(header).rewind();
    write(chunk.version % 2 * BLOCK_BYTES, block);
  }

  /** Waits for the disk if the option says so; MVStore calls it too while it moves chunks. */
  @Override
  public void sync() {
    if (!sync) {
      return;
    }
    try {
      bytes.force();
    } catch (IOException e) {
      throw failure(DataUtils.ERROR_WRITING_FAILED, "syncing", e);
    }
  }

  @Override
  protected void shrinkStoreIfPossible(int minPercent) {
    super.shrinkStoreIfPossible(closing ? minPercent : Math.max(minPercent, SHRINK_PERCENT));
  }

  @Override
  protected void truncate(long size) {
    try {
      bytes.truncate(size);
    } catch (IOException e) {
      throw failure(DataUtils.ERROR_WRITING_FAILED, "truncating", e);
    }
    setSize(Math.min(size(), size));
    writeCount.incrementAndGet();
  }

  private MVStoreException failure(int code, String what, IOException cause) {
    return DataUtils.newMVStoreException(code, "{0} failed: {1}", what, cause.getMessage(), cause);
  }

  @Override
  public String toString() {
    return getFileName();
  }

  @Override
  public void open(String fileName, boolean readOnly, char[] encryptionKey) {
    throw new UnsupportedOperationException("opened by its constructor");
  }

  @Override
  public ChunkFile open(String fileName, boolean readOnly) {
    throw new UnsupportedOperationException("opened by its constructor");
  }

  @Override
  public void backup(ZipOutputStream out) {
    throw new UnsupportedOperationException("copy the file while it is closed");
  }
}

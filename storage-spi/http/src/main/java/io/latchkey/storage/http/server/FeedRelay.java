package io.latchkey.storage.http.server;

import io.latchkey.storage.Codec;
import io.latchkey.storage.CommitListener;
import io.latchkey.storage.FeedListener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Tells the events of a storage to the server's cache, and then to its clients. */
final class FeedRelay<K> implements FeedListener<K> {
  private final FeedListener<ObjectKey> cache;
  private final ChangeRing clients;
  private final Codec<K> keys;

  FeedRelay(FeedListener<ObjectKey> cache, ChangeRing clients, Codec<K> keys) {
    this.cache = cache;
    this.clients = clients;
    this.keys = keys;
  }

  @Override
  public void changed(long epoch, long sequence, Collection<? extends K> changed) {
    List<ObjectKey> encoded = new ArrayList<>(changed.size());
    for (K key : changed) {
      encoded.add(new ObjectKey(keys.encode(key)));
    }
    cache.changed(epoch, sequence, encoded);
    clients.changed(epoch, sequence, encoded);
  }

  @Override
  public void changedAll(long epoch, long sequence) {
    cache.changedAll(epoch, sequence);
    clients.changedAll(epoch, sequence);
  }

  @Override
  public void lost(String reason) {
    cache.lost(reason);
    clients.lost(reason);
  }

  @Override
  public void whole(long epoch, long sequence) {
    cache.whole(epoch, sequence);
    clients.whole(epoch, sequence);
  }

  /** The same for a storage that tells only its commits; the revision is the sequence. */
  CommitListener<K> commits() {
    return new CommitListener<>() {
      @Override
      public void committed(long epoch, long revision, Collection<? extends K> changed) {
        FeedRelay.this.changed(epoch, revision, changed);
      }

      @Override
      public void lost(String reason) {
        FeedRelay.this.lost(reason);
      }

      @Override
      public void whole(long epoch, long head) {
        FeedRelay.this.whole(epoch, head);
      }
    };
  }
}

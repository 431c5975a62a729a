package io.latchkey.cache.internal;

import io.latchkey.cache.Expiry;
import io.latchkey.cache.Ticker;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * How long entries live, in nanoseconds of the cache's clock. Ages are differences of two readings,
 * so it does not matter where the clock starts or whether it wraps; a negative age counts as 0.
 */
final class Lifetimes {
  private static final long NONE = Settings.NONE;
  private static final long NEVER = Long.MAX_VALUE;

  private final Ticker ticker;
  private final long afterWrite;
  private final long afterAccess;
  private final @Nullable Expiry<Object, Object> expiry;
  private final double jitter;
  private final long refresh;
  private final long stale;
  private final long absent;
  private final long failures;
  private final boolean ownLife;

  /**
   * The one time to live, where an age below it is all that a hit needs; else what no age is below.
   */
  private final long plainLife;

  @SuppressWarnings("unchecked")
  Lifetimes(Settings<?, ?> settings, Ticker ticker) {
    this.ticker = ticker;
    afterWrite = settings.expireAfterWrite();
    afterAccess = settings.expireAfterAccess();
    expiry = (Expiry<Object, Object>) settings.expiry();
    jitter = settings.jitter();
    refresh = settings.refreshAfterWrite();
    stale = Math.max(0, settings.staleIfError());
    absent = settings.cacheAbsentFor();
    failures = settings.cacheFailuresFor();
    ownLife =
        afterAccess != NONE || expiry != null || jitter > 0 || absent != NONE || failures != NONE;
    plainLife = ownLife || refresh != NONE || afterWrite <= 0 ? Long.MIN_VALUE : afterWrite;
  }

  /** Whether a cache of these settings keeps time at all. */
  static boolean needed(Settings<?, ?> settings) {
    return settings.expireAfterWrite() != NONE
        || settings.expireAfterAccess() != NONE
        || settings.expiry() != null
        || settings.refreshAfterWrite() != NONE
        || settings.cacheAbsentFor() != NONE
        || settings.cacheFailuresFor() != NONE;
  }

  /** Whether entries need a time to live of their own. */
  boolean ownLife() {
    return ownLife;
  }

  /** Whether a use of an entry may give it another time to live, a shorter one too. */
  boolean useChangesLife() {
    return expiry != null;
  }

  /** Whether entries expire at all. */
  boolean expires() {
    return ownLife || afterWrite != NONE;
  }

  long now() {
    return ticker.read();
  }

  boolean keepsAbsent() {
    return absent > 0;
  }

  boolean keepsFailures() {
    return failures > 0;
  }

  boolean servesStale() {
    return stale > 0;
  }

  private static long age(long now, long then) {
    return Math.max(0, now - then);
  }

  /** The time since the entry was written. */
  static long age(Entry entry, long now) {
    return age(now, ((TimedEntry) entry).time());
  }

  // ---- reading

  /** Whether a READY entry can be served and nothing is to be noted; false proves nothing. */
  boolean young(Entry entry, long now) {
    return now - ((TimedEntry) entry).time() < plainLife;
  }

  /** Whether an entry must not be served any more, except in place of a failed load. */
  boolean expired(Entry entry, long now) {
    return left(entry, now) <= 0;
  }

  /** Whether an entry must not be served at all any more. */
  boolean over(Entry entry, long now) {
    return removal(entry, now) <= 0;
  }

  /** Nanoseconds until {@link #over}. */
  long removal(Entry entry, long now) {
    long left = left(entry, now);
    if (left == NEVER || stale == 0 || !object(entry)) {
      return left;
    }
    long sum = left + stale;
    return sum < left ? NEVER : sum;
  }

  private long left(Entry entry, long now) {
    long life = ownLife ? ((ExpiringEntry) entry).life() : afterWrite == NONE ? NEVER : afterWrite;
    long left = life == NEVER ? NEVER : life - age(entry, now);
    if (afterAccess != NONE && afterAccess != NEVER && object(entry)) {
      ExpiringEntry timed = (ExpiringEntry) entry;
      left = Math.min(left, idle(timed) - age(now, timed.access()));
    }
    return left;
  }

  private static boolean object(Entry entry) {
    return entry.stateAcquire() != Entry.FAILED && entry.outcomePlain() != Entry.ABSENT;
  }

  /** The time to idle, spread by the key's hash so that it needs no field. */
  private long idle(ExpiringEntry entry) {
    return jitter == 0
        ? afterAccess
        : spread(afterAccess, ((entry.hash * 0x9E3779B9) >>> 8) / (double) (1 << 24));
  }

  /** Notes a use; writes at most once a tick of the clock. */
  void used(Entry entry, long now) {
    if (!ownLife || !object(entry)) {
      return;
    }
    ExpiringEntry timed = (ExpiringEntry) entry;
    if (afterAccess != NONE && timed.access() != now) {
      timed.access(now);
    }
    Object value = timed.outcomePlain();
    if (expiry != null && value != null) {
      long life = timed.life();
      long age = age(timed, now);
      long left = life == NEVER ? NEVER : life - age;
      long renewed = Math.max(0, expiry.afterRead(timed.key, value, now, left));
      if (renewed != left) {
        timed.life(sum(age, renewed));
      }
    }
  }

  /** Whether a use of the entry should start a refresh. */
  boolean needsRefresh(Entry entry, long now) {
    return refresh != NONE && age(entry, now) >= refresh;
  }

  // ---- writing

  /**
   * Stamps an entry with the end of its load or put, before it is published.
   *
   * @return whether the outcome is to be kept
   */
  boolean stamp(Entry entry, Object outcome, boolean failed, long now) {
    TimedEntry timed = (TimedEntry) entry;
    timed.time(now);
    long life = life(entry, outcome, failed, now);
    if (timed instanceof ExpiringEntry own) {
      own.access(now);
      own.life(life);
    }
    if (failed || outcome == Entry.ABSENT) {
      return life > 0;
    }
    return (life > 0 && afterAccess != 0) || stale > 0;
  }

  /** The put that an entry was stamped for took until now. */
  static void restamp(Entry entry, long now) {
    ((TimedEntry) entry).time(now);
    if (entry instanceof ExpiringEntry own) {
      own.access(now);
    }
  }

  private long life(Entry entry, Object outcome, boolean failed, long now) {
    if (failed) {
      return failures;
    }
    if (outcome == Entry.ABSENT) {
      return absent;
    }
    long life = afterWrite == NONE ? NEVER : afterWrite;
    if (expiry != null) {
      life = Math.max(0, expiry.afterWrite(entry.key, outcome, now));
    }
    return jitter == 0 ? life : spread(life, ThreadLocalRandom.current().nextDouble());
  }

  /** A time within the jitter's share around {@code life}; {@code where} from 0 to 1. */
  private long spread(long life, double where) {
    if (life == NEVER) {
      return NEVER;
    }
    return Math.max(0, sum(life, (long) (life * jitter * (2 * where - 1))));
  }

  private static long sum(long a, long b) {
    long sum = a + b;
    return b > 0 && sum < a ? NEVER : sum;
  }
}

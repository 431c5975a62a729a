package io.latchkey.cache.internal;

/** Which fields the entries of a cache have; nobody pays for what the options do not need. */
enum EntryKind {
  PLAIN {
    @Override
    Entry flight(Object key, int hash, Node stack) {
      return new Entry(key, hash, stack);
    }

    @Override
    Entry ready(Object key, int hash, Object outcome) {
      return new Entry(key, hash, outcome, Entry.READY);
    }
  },
  WEIGHED {
    @Override
    Entry flight(Object key, int hash, Node stack) {
      return new WeighedEntry(key, hash, stack);
    }

    @Override
    Entry ready(Object key, int hash, Object outcome) {
      return new WeighedEntry(key, hash, outcome, Entry.READY);
    }
  },
  TIMED {
    @Override
    Entry flight(Object key, int hash, Node stack) {
      return new TimedEntry(key, hash, stack);
    }

    @Override
    Entry ready(Object key, int hash, Object outcome) {
      return new TimedEntry(key, hash, outcome, Entry.READY);
    }
  },
  EXPIRING {
    @Override
    Entry flight(Object key, int hash, Node stack) {
      return new ExpiringEntry(key, hash, stack);
    }

    @Override
    Entry ready(Object key, int hash, Object outcome) {
      return new ExpiringEntry(key, hash, outcome, Entry.READY);
    }
  };

  abstract Entry flight(Object key, int hash, Node stack);

  abstract Entry ready(Object key, int hash, Object outcome);

  static EntryKind of(Settings<?, ?> settings, boolean ownLife) {
    boolean weighed = settings.weigher() != null;
    if (ownLife || (weighed && Lifetimes.needed(settings))) {
      return EXPIRING;
    }
    if (Lifetimes.needed(settings)) {
      return TIMED;
    }
    return weighed ? WEIGHED : PLAIN;
  }
}

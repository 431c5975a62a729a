package io.latchkey.bench.demo;

/** Which objects are read and which are updated. The same for every cache. */
interface Workload {
  /** How many objects there are; an object is a number from 0 to one less. */
  int objects();

  /** Whether a pass ends by itself; each then starts with an empty cache, as published runs do. */
  boolean finite();

  /** How many reads a pass has, if it is finite. */
  long length();

  /** The reads of one phase. */
  Pass pass(int round);

  /** The objects that a writer updates in one phase, without end. */
  Reads updates(int round);

  /** What is read, in a few words. */
  String describe();

  /** The reads of one phase, shared out among its threads. */
  interface Pass {
    /** The reads of one thread. */
    Reads reader(int thread);
  }

  /** A sequence of objects for one thread. */
  interface Reads {
    /** Returned by {@link #next} when there are no more. */
    int END = -1;

    /** The next object, or {@link #END}. */
    int next();
  }
}

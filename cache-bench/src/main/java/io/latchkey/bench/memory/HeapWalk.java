package io.latchkey.bench.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jol.util.ObjectUtils;
import org.openjdk.jol.vm.VM;
import org.openjdk.jol.vm.VirtualMachine;

/**
 * Adds up the objects that can be reached from one, each once, with the sizes that JOL finds.
 *
 * <p>Not counted and not followed: what the caller excludes, and what no cache owns: classes and
 * class loaders, threads, executors, loggers, and what is held weakly.
 */
final class HeapWalk {
  private static final List<Class<?>> SHARED =
      List.of(
          Class.class,
          ClassLoader.class,
          Module.class,
          Thread.class,
          ThreadGroup.class,
          ThreadLocal.class,
          ExecutorService.class,
          ThreadFactory.class,
          Logger.class,
          Enum.class,
          MethodHandle.class,
          VarHandle.class);

  private final VirtualMachine vm = VM.current();
  private final Map<Class<?>, Field[]> references = new HashMap<>();
  private final Map<Class<?>, Boolean> shared = new HashMap<>();
  private final IdentitySet seen;
  private final List<Object> toVisit = new ArrayList<>();
  private long objects;
  private long bytes;

  /** Prepares a walk that will meet about so many objects, the excluded ones included. */
  HeapWalk(int expected) {
    seen = new IdentitySet(expected);
  }

  /** Leaves these objects out, and what only they lead to. */
  void exclude(Object[] excluded) {
    for (Object object : excluded) {
      seen.add(object);
    }
  }

  /** Adds what can be reached from this object. */
  void walk(Object root) {
    visitLater(root);
    while (!toVisit.isEmpty()) {
      Object object = toVisit.remove(toVisit.size() - 1);
      objects++;
      bytes += vm.sizeOf(object);
      if (object instanceof Object[] array) {
        for (Object element : array) {
          visitLater(element);
        }
      } else {
        for (Field field : references(object.getClass())) {
          visitLater(ObjectUtils.value(object, field));
        }
      }
    }
  }

  private void visitLater(@Nullable Object object) {
    if (object != null && !isShared(object.getClass()) && seen.add(object)) {
      toVisit.add(object);
    }
  }

  private boolean isShared(Class<?> type) {
    Boolean known = shared.get(type);
    if (known == null) {
      known = SHARED.stream().anyMatch(kind -> kind.isAssignableFrom(type));
      shared.put(type, known);
    }
    return known;
  }

  private Field[] references(Class<?> type) {
    Field[] known = references.get(type);
    if (known == null) {
      List<Field> fields = new ArrayList<>();
      for (Class<?> c = type; c != null; c = c.getSuperclass()) {
        for (Field field : c.getDeclaredFields()) {
          if (!Modifier.isStatic(field.getModifiers())
              && !field.getType().isPrimitive()
              && !isWeak(c, field)) {
            fields.add(field);
          }
        }
      }
      known = fields.toArray(Field[]::new);
      references.put(type, known);
    }
    return known;
  }

  /** Weak, soft and phantom references and the collector's own links between references. */
  private static boolean isWeak(Class<?> declaring, Field field) {
    return declaring == Reference.class
        && (field.getName().equals("referent") || field.getName().equals("discovered"));
  }

  /** How many objects were counted. */
  long objects() {
    return objects;
  }

  /** Their sizes in bytes, headers and padding included. */
  long bytes() {
    return bytes;
  }
}

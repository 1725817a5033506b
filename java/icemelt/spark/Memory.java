package icemelt.spark;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * What was made of patterns, for the rows to come. A literal is one object in all rows of a task:
 * such a one is found without reading it.
 */
final class Memory<T> {
  private static final int MOST = 100;
  private static final int SLOTS = 16;

  private record Slot<T>(UTF8String pattern, UTF8String options, T made) {}

  private final BiFunction<String, String, T> make;
  private final ConcurrentHashMap<String, T> kept = new ConcurrentHashMap<>();
  private final ThreadLocal<Slot<T>[]> slots = ThreadLocal.withInitial(Memory::empty);

  Memory(BiFunction<String, String, T> make) {
    this.make = make;
  }

  T get(UTF8String pattern, UTF8String options) {
    Slot<T>[] mine = slots.get();
    int place = System.identityHashCode(pattern) & (SLOTS - 1);
    Slot<T> slot = mine[place];
    if (slot != null && slot.pattern == pattern && slot.options == options) {
      return slot.made;
    }
    T made = find(pattern.toString(), options.toString());
    mine[place] = new Slot<>(pattern, options, made);
    return made;
  }

  private T find(String pattern, String options) {
    String key = options + "\0" + pattern;
    T made = kept.get(key);
    if (made == null) {
      made = make.apply(pattern, options);
      if (kept.size() >= MOST) {
        kept.clear();
      }
      kept.put(key, made);
    }
    return made;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <T> Slot<T>[] empty() {
    return new Slot[SLOTS];
  }
}

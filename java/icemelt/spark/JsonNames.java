package icemelt.spark;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** The names of an object's members, each of which may be there once. */
final class JsonNames {
  /** As many names are compared one by one. */
  private static final int FEW = 16;

  private String[] few = new String[8];
  private int count;
  private Set<String> many;

  /**
   * Adds a name.
   *
   * @throws IOException where the object has it already
   */
  void add(String name) throws IOException {
    if (many != null ? !many.add(name) : isAmongFew(name)) {
      throw new IOException("a JSON object has a name twice");
    }
    if (many == null) {
      keep(name);
    }
  }

  private boolean isAmongFew(String name) {
    for (int at = 0; at < count; at++) {
      if (few[at].equals(name)) {
        return true;
      }
    }
    return false;
  }

  private void keep(String name) {
    if (count == FEW) {
      many = new HashSet<>(Arrays.asList(few));
      many.add(name);
      return;
    }
    if (count == few.length) {
      few = Arrays.copyOf(few, FEW);
    }
    few[count++] = name;
  }
}

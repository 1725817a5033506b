package icemelt.spark;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.io.Text;
import scala.collection.Iterator;

/**
 * The documents in the lines of a JSON file; between two there may be a comma. Of a line of objects
 * and arrays each is given as it is; blank lines are left out. Of other lines a parser tells where
 * documents end. Where it fails, its first line alone is given, which is no document:
 *
 * <pre>
 * {"a":          {"a":
 *   1}             1}
 * {"a": 2}, 3    {"a": 2}
 *                3
 * {"a": 4        {"a": 4
 * {"a": 5}       {"a": 5}
 * </pre>
 */
final class JsonDocuments {
  /** The characters of lines in which no document ends: a value of a column has no more. */
  private static final int MOST_CHARACTERS = 128 << 20;

  /** Reads documents of any size; names come from files, and stay out of Java's table of texts. */
  static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  /** What an array is that is no part of another value: a document, or the documents in it. */
  enum OuterArray {
    KEPT,
    STRIPPED
  }

  private final Iterator<Text> lines;
  private final boolean isWhole;
  private final OuterArray outer;
  private final Deque<Text> found = new ArrayDeque<>();
  // lines that were read before it was clear that no document takes them
  private final Deque<String> unread = new ArrayDeque<>();
  // the array that is read element by element; null outside of one
  private Elements elements;

  /**
   * @param lines the lines; a text may change when the next one is asked for
   * @param isWhole whether these are all lines of the file, so that a document may take several
   * @param outer what an outer array is
   */
  JsonDocuments(Iterator<Text> lines, boolean isWhole, OuterArray outer) {
    this.lines = lines;
    this.isWhole = isWhole;
    this.outer = outer;
  }

  boolean hasNext() {
    while (found.isEmpty()) {
      if (!readOn()) {
        return false;
      }
    }
    return true;
  }

  Text next() {
    return found.remove();
  }

  /** Returns whether the last document that begins in a line ends in it, or is none at all. */
  static boolean endsDocument(String line) {
    try (JsonParser parser = JSON.createParser(line)) {
      while (parser.nextToken() != null) {
        parser.skipChildren();
      }
      return true;
    } catch (JsonEOFException error) {
      return false;
    } catch (IOException error) {
      return true;
    }
  }

  /** Reads the next lines; returns false where there are none. */
  private boolean readOn() {
    if (elements != null) {
      elements.readOn();
    } else if (!unread.isEmpty()) {
      String line = unread.remove();
      if (!addWhole(new Text(line))) {
        divide(line);
      }
    } else if (lines.hasNext()) {
      Text line = lines.next();
      if (!addWhole(line)) {
        divide(line.toString());
      }
    } else {
      return false;
    }
    return true;
  }

  /**
   * Finds the documents of a line of objects and arrays, whatever is in their braces and brackets;
   * returns false for another line.
   */
  private boolean addWhole(Text line) {
    byte[] bytes = line.getBytes();
    int length = line.getLength();
    List<Text> documents = new ArrayList<>();
    int at = nextDocument(bytes, 0, length);
    while (at < length) {
      int end = endOfDocument(bytes, at, length);
      if (end < 0) {
        return false;
      }
      boolean isAlone =
          at == behindBlanks(bytes, 0, length) && behindBlanks(bytes, end, length) == length;
      documents.add(isAlone ? line : new Text(Arrays.copyOfRange(bytes, at, end)));
      at = nextDocument(bytes, end, length);
    }
    found.addAll(documents);
    return true;
  }

  /** Finds the documents in a line, and in as many more as it takes to the end of a document. */
  private void divide(String line) {
    Lines read = new Lines(isComma(line) ? line.stripLeading().substring(1) : line);
    List<Text> documents = new ArrayList<>();
    try {
      JsonParser parser = JSON.createParser(read);
      while (!read.isBlankFrom(read.taken) && parser.nextToken() != null) {
        if (outer == OuterArray.STRIPPED && parser.currentToken() == JsonToken.START_ARRAY) {
          elements = new Elements(read, parser);
          break;
        }
        documents.add(read.take(parser));
        if (read.giveBackBehindComma()) {
          break;
        }
      }
      found.addAll(documents);
    } catch (JsonProcessingException error) {
      read.refuse(error);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** The elements of an outer array. */
  private final class Elements {
    private final Lines read;
    private final JsonParser parser;

    Elements(Lines read, JsonParser parser) {
      this.read = read;
      this.parser = parser;
    }

    /** Reads the next element, or the end of the array, behind which a line begins. */
    void readOn() {
      try {
        if (parser.nextToken() == JsonToken.END_ARRAY) {
          elements = null;
          read.giveBackFrom(parser.currentLocation().getCharOffset());
        } else {
          found.add(read.take(parser));
        }
      } catch (JsonProcessingException error) {
        elements = null;
        read.refuse(error);
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }
  }

  /** Returns the place behind an object or array that begins at a place; -1 where there is none. */
  private int endOfDocument(byte[] bytes, int begin, int length) {
    boolean isKept = outer == OuterArray.KEPT;
    if (!(bytes[begin] == '{' || (bytes[begin] == '[' && isKept))) {
      return -1;
    }
    int depth = 0;
    boolean inText = false;
    for (int at = begin; at < length; at++) {
      byte each = bytes[at];
      if (inText) {
        if (each == '\\') {
          at++;
        } else if (each == '"') {
          inText = false;
        }
      } else if (each == '"') {
        inText = true;
      } else if (each == '{' || each == '[') {
        depth++;
      } else if ((each == '}' || each == ']') && --depth == 0) {
        return at + 1;
      }
    }
    return -1;
  }

  /** Returns where the next document begins, behind blanks and a comma. */
  private static int nextDocument(byte[] bytes, int from, int length) {
    int at = behindBlanks(bytes, from, length);
    return at < length && bytes[at] == ',' ? behindBlanks(bytes, at + 1, length) : at;
  }

  private static int behindBlanks(byte[] bytes, int from, int length) {
    int at = from;
    while (at < length && isBlank(bytes[at])) {
      at++;
    }
    return at;
  }

  private static boolean isComma(String line) {
    return line.stripLeading().startsWith(",");
  }

  private static boolean isBlank(int each) {
    return each == ' ' || each == '\t' || each == '\n' || each == '\r';
  }

  /**
   * A line, and the lines after it, each of which is read when a parser has come to it. Places count
   * from the start of the first line; lines whose values were taken are forgotten.
   */
  private final class Lines extends Reader {
    private final String first;
    private final StringBuilder text = new StringBuilder();
    private final List<Integer> starts = new ArrayList<>();
    private boolean hasMore;
    // the place of the first character in the text
    private long base;
    private long taken;
    private int given;

    Lines(String first) {
      this.first = first;
      add(first);
    }

    @Override
    public int read(char[] into, int at, int most) throws IOException {
      if (given == text.length() && !addLine()) {
        return -1;
      }
      int count = Math.min(most, text.length() - given);
      text.getChars(given, given + count, into, at);
      given += count;
      return count;
    }

    private boolean addLine() {
      forget();
      if (!isWhole || text.length() > MOST_CHARACTERS) {
        return false;
      }
      WatchedText.refuseCancelled();
      if (!unread.isEmpty()) {
        add(unread.remove());
      } else if (lines.hasNext()) {
        add(lines.next().toString());
      } else {
        return false;
      }
      hasMore = true;
      return true;
    }

    private void add(String line) {
      starts.add(text.length());
      text.append(line).append('\n');
    }

    /** Forgets the lines before the one in which the last value that was taken ends. */
    private void forget() {
      int lines = 0;
      while (lines + 1 < starts.size() && starts.get(lines + 1) <= taken - base) {
        lines++;
      }
      int length = starts.get(lines);
      if (length > 0) {
        text.delete(0, length);
        starts.subList(0, lines).clear();
        starts.replaceAll(start -> start - length);
        base += length;
        given -= length;
      }
    }

    /** Returns the value at a parser's token, and goes behind it. */
    Text take(JsonParser parser) throws IOException {
      long begin = parser.currentTokenLocation().getCharOffset();
      parser.skipChildren();
      parser.finishToken();
      taken = parser.currentLocation().getCharOffset();
      return new Text(text.substring((int) (begin - base), (int) (taken - base)));
    }

    boolean isBlankFrom(long place) {
      for (int at = (int) (place - base); at < text.length(); at++) {
        if (!isBlank(text.charAt(at))) {
          return false;
        }
      }
      return true;
    }

    /** Leaves what is behind a comma to be read again, if one is next; tells whether it is. */
    boolean giveBackBehindComma() {
      String rest = text.substring((int) (taken - base));
      if (!isComma(rest)) {
        return false;
      }
      unread.addFirst(rest.stripLeading().substring(1).strip());
      return true;
    }

    /** Leaves what is behind a place to be read again. */
    void giveBackFrom(long place) {
      unread.addFirst(text.substring((int) (place - base)).strip());
    }

    /**
     * Gives the first line as no document, and leaves lines to be read again: from the next one with a
     * brace or bracket at its start, as far left as in the first line or further. Those before it are
     * the rest of what is no document. In an array the next line is one behind the error: each element
     * may be in a line of its own.
     */
    void refuse(JsonProcessingException error) {
      found.add(new Text(first));
      long place = Long.MAX_VALUE;
      if (!(error instanceof JsonEOFException) && error.getLocation() != null) {
        place = error.getLocation().getCharOffset();
      }
      forget();
      int next = 1;
      if (first.strip().startsWith("[")) {
        // the place is behind what is wrong, which may be the start of a line
        while (next < starts.size() && base + starts.get(next) + indent(line(next)) + 1 < place) {
          next++;
        }
      }
      while ((next < starts.size() || (hasMore && addLine())) && !isStart(next)) {
        next++;
      }
      for (int line = starts.size() - 1; line >= next; line--) {
        unread.addFirst(line(line));
      }
    }

    private boolean isStart(int line) {
      String written = line(line);
      int indent = indent(written);
      return indent <= indent(first)
          && (written.startsWith("{", indent) || written.startsWith("[", indent));
    }

    private String line(int line) {
      int end = line + 1 < starts.size() ? starts.get(line + 1) : text.length();
      return text.substring(starts.get(line), end - 1);
    }

    private static int indent(String line) {
      return line.length() - line.stripLeading().length();
    }

    @Override
    public void close() {
      // the lines are closed by who has opened them
    }
  }
}

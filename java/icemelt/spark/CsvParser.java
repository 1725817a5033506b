package icemelt.spark;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The records of CSV files, of bytes. Outside of quotes the escape character takes its meaning from a
 * delimiter, the end of a record, a quote, and itself; before another character it is a character.
 * In quotes two quotes are one.
 *
 * <pre>
 * a\,b,c     a,b   c
 * C:\new,\N  C:\new   NULL, by NULL_IF
 * "x""y" ,"  x"y   and a value that goes on in the next line
 * "a"b,c     "a"b  c
 * </pre>
 */
final class CsvParser implements Closeable {
  private static final int FIRST_BYTES = 1 << 18;
  private static final int MOST_BYTES = 1 << 30;
  // in front of a part of a file, to know whether its first line end is escaped
  private static final int LOOK_BACK = 1 << 16;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  /** The bytes of a byte order mark. */
  static final int LONGEST_MARK = BYTE_ORDER_MARK.length;

  // what a value has
  private static final byte QUOTED = 1;
  private static final byte ESCAPED = 2;
  private static final byte BEYOND_ASCII = 4;

  /** What ends a value. */
  private enum End {
    DELIMITER,
    RECORD,
    FILE
  }

  private final CsvFormat format;
  private final InputStream input;
  private final Charset charset;
  private final boolean isUtf8;
  private byte[] buffer = new byte[FIRST_BYTES];
  private int limit;
  private boolean isEnd;
  // the place of the buffer's first byte in the input
  private long base;
  // of the record, and of the next byte to read
  private int begin;
  private int at;
  // the length of the record without its end
  private int length;
  private int count;
  private boolean isOpen;
  // from the begin of the record
  private int[] starts = new int[16];
  private int[] ends = new int[16];
  private byte[] marks = new byte[16];
  private byte[] unescaped = new byte[64];
  private int unescapedLength;
  // the value that is read
  private byte[] valueBytes;
  private int valueStart;
  private int valueLength;

  /**
   * @param base the place of the input's first byte in its file
   */
  CsvParser(CsvFormat format, InputStream input, long base) {
    this.format = format;
    this.input = input;
    this.base = base;
    charset = format.charset();
    isUtf8 = charset.equals(StandardCharsets.UTF_8);
  }

  /** Returns where a parser of a part of a file begins to read, to find the part's first record. */
  static long lookBack(long start) {
    return Math.max(0, start - LOOK_BACK);
  }

  /** Goes behind a byte order mark, at the start of a file. */
  void skipByteOrderMark() throws IOException {
    if (isUtf8 && has(0, BYTE_ORDER_MARK)) {
      at += BYTE_ORDER_MARK.length;
    }
  }

  /** Goes behind some lines, whatever is in them. */
  void skipLines(int lines) throws IOException {
    for (int left = lines; left > 0; ) {
      begin = at;
      if (!fill()) {
        return;
      }
      int end = recordEndAt(0);
      left -= end > 0 ? 1 : 0;
      at += Math.max(end, 1);
    }
  }

  /** The place of the next byte in the file. */
  long place() {
    return base + at;
  }

  /** Goes to the first record that begins at a place or behind it. */
  void skipTo(long place) throws IOException {
    while (true) {
      begin = at;
      if (!fill()) {
        return;
      }
      byte kind = format.plainKinds[buffer[at] & 0xFF];
      if (kind == CsvFormat.ESCAPE) {
        int sign = format.plainEscape.length;
        int taken = escapedAt(sign);
        at += sign + taken;
        continue;
      }
      int end = kind == CsvFormat.RECORD_END ? recordEndAt(0) : 0;
      at += Math.max(end, 1);
      if (end > 0 && place() >= place) {
        return;
      }
    }
  }

  /** Reads the next record that is no blank line; returns false where there is none. */
  boolean next() throws IOException {
    return next(Long.MAX_VALUE);
  }

  /** Reads the next record, as above, if it begins before a place of the file. */
  boolean next(long most) throws IOException {
    do {
      begin = at;
      if (place() >= most || !fill()) {
        return false;
      }
      readRecord();
    } while (isBlank());
    return true;
  }

  /** The number of values. */
  int count() {
    return count;
  }

  /** Returns whether the file ends with the record, which has no end of its own. */
  boolean isAtEnd() throws IOException {
    return at == limit && !fillMore();
  }

  /** Returns whether the file ends within a value in quotes. */
  boolean isOpen() {
    return isOpen;
  }

  /** The text of the record, as UTF-8. */
  byte[] text() {
    return isText(buffer, begin, length)
        ? Arrays.copyOfRange(buffer, begin, begin + length)
        : decoded(buffer, begin, length);
  }

  /** Returns a value as UTF-8; null for NULL. */
  byte[] value(int field) {
    return read(field)
        ? Arrays.copyOfRange(valueBytes, valueStart, valueStart + valueLength)
        : null;
  }

  /** Writes a value to a row, as UTF-8. */
  void write(int field, UnsafeRowWriter row, int ordinal) {
    if (read(field)) {
      row.write(ordinal, valueBytes, valueStart, valueLength);
    } else {
      row.setNullAt(ordinal);
    }
  }

  @Override
  public void close() throws IOException {
    input.close();
  }

  /** Finds the bytes of a value; returns false for NULL. */
  private boolean read(int field) {
    if (field >= count) {
      return false;
    }
    byte mark = marks[field];
    boolean isQuoted = (mark & QUOTED) != 0;
    valueBytes = buffer;
    valueStart = begin + starts[field];
    valueLength = ends[field] - starts[field];
    if (!isQuoted && (valueLength == 0 && format.emptyIsNull || isNullText())) {
      return false;
    }
    if ((mark & ESCAPED) != 0) {
      unescape(valueStart, valueStart + valueLength, isQuoted);
      valueBytes = unescaped;
      valueStart = 0;
      valueLength = unescapedLength;
    }
    if (isQuoted && isNullText()) {
      return false;
    }
    if ((mark & BEYOND_ASCII) != 0 && !isText(valueBytes, valueStart, valueLength)) {
      valueBytes = decoded(valueBytes, valueStart, valueLength);
      valueStart = 0;
      valueLength = valueBytes.length;
    }
    return true;
  }

  private boolean isNullText() {
    int end = valueStart + valueLength;
    for (byte[] text : format.nulls) {
      if (text.length == valueLength
          && Arrays.equals(text, 0, valueLength, valueBytes, valueStart, end)) {
        return true;
      }
    }
    return false;
  }

  private boolean isText(byte[] bytes, int start, int size) {
    return isUtf8 && UTF8String.fromBytes(bytes, start, size).isValid();
  }

  /** Returns bytes of the encoding as UTF-8, with U+FFFD in the place of those that are no text. */
  private byte[] decoded(byte[] bytes, int start, int size) {
    return new String(bytes, start, size, charset).getBytes(StandardCharsets.UTF_8);
  }

  private boolean isBlank() {
    if (count != 1 || (marks[0] & QUOTED) != 0) {
      return false;
    }
    if (format.keepsBlankLines) {
      return length == 0;
    }
    for (int place = begin; place < begin + length; place++) {
      if (buffer[place] < 0 || buffer[place] > ' ') {
        return false;
      }
    }
    return true;
  }

  private void readRecord() throws IOException {
    count = 0;
    isOpen = false;
    End end;
    do {
      end = readValue();
    } while (end == End.DELIMITER);
  }

  private End readValue() throws IOException {
    if (format.quote != null) {
      int start = at - begin;
      if (format.trims) {
        skipBlanks();
      }
      if (has(0, format.quote)) {
        return readQuoted(start);
      }
      at = begin + start;
    }
    return readPlain(at - begin);
  }

  /** Reads to the end of a value outside of quotes, which begins at a place of the record. */
  private End readPlain(int start) throws IOException {
    byte[] kinds = format.plainKinds;
    byte mark = 0;
    int bits = 0;
    while (fill()) {
      byte[] bytes = buffer;
      int most = limit;
      int place = at;
      byte kind = CsvFormat.PLAIN;
      while (place < most && (kind = kinds[bytes[place] & 0xFF]) == CsvFormat.PLAIN) {
        bits |= bytes[place];
        place++;
      }
      at = place;
      if (place == most) {
        continue;
      }
      bits |= bytes[place];
      if (kind == CsvFormat.ESCAPE) {
        if (has(0, format.plainEscape)) {
          mark |= ESCAPED;
          int sign = format.plainEscape.length;
          int taken = escapedAt(sign);
          bits |= bitsOf(at + sign, taken);
          at += sign + taken;
        } else {
          at++;
        }
      } else {
        End end = endAt(start, at - begin, mark, bits);
        if (end != null) {
          return end;
        }
        at++;
      }
    }
    return endOfFile(start, at - begin, mark, bits);
  }

  /** Reads to the end of a value that begins with a quote; behind it there may be blanks. */
  private End readQuoted(int start) throws IOException {
    at += format.quote.length;
    int first = at - begin;
    byte mark = QUOTED;
    int bits = 0;
    while (true) {
      if (!fill()) {
        isOpen = true;
        return endOfFile(first, at - begin, mark, bits);
      }
      byte each = buffer[at];
      bits |= each;
      byte kind = format.quotedKinds[each & 0xFF];
      if (kind == CsvFormat.ESCAPE && has(0, format.escape)) {
        mark |= ESCAPED;
        int sign = format.escape.length;
        int taken = escapedAt(sign);
        bits |= bitsOf(at + sign, taken);
        at += sign + taken;
      } else if (kind == CsvFormat.QUOTE && has(0, format.quote)) {
        int sign = format.quote.length;
        if (!has(sign, format.quote)) {
          return endQuoted(start, first, mark, bits);
        }
        mark |= ESCAPED;
        at += 2 * sign;
      } else if (kind == CsvFormat.RECORD_END) {
        End end = endAt(first, at - begin, mark, bits);
        if (end != null) {
          return end;
        }
        at++;
      } else {
        at++;
      }
    }
  }

  /** Ends a value at its last quote; where more follows, the quotes are characters. */
  private End endQuoted(int start, int first, byte mark, int bits) throws IOException {
    int last = at - begin;
    at += format.quote.length;
    skipBlanks();
    if (!fill()) {
      return endOfFile(first, last, mark, bits);
    }
    End end = endAt(first, last, mark, bits);
    if (end != null) {
      return end;
    }
    End plain = readPlain(start);
    marks[count - 1] |= bits < 0 ? ESCAPED | BEYOND_ASCII : ESCAPED;
    return plain;
  }

  /** Ends a value where a delimiter or the end of the record is; returns null where none is. */
  private End endAt(int start, int end, byte mark, int bits) throws IOException {
    if (format.delimiter.length > 0 && has(0, format.delimiter)) {
      add(start, end, mark, bits);
      at += format.delimiter.length;
      return End.DELIMITER;
    }
    int size = recordEndAt(0);
    if (size == 0) {
      return null;
    }
    length = at - begin;
    add(start, end, mark, bits);
    at += size;
    return End.RECORD;
  }

  private End endOfFile(int start, int end, byte mark, int bits) {
    length = at - begin;
    add(start, end, mark, bits);
    return End.FILE;
  }

  private void add(int start, int end, byte mark, int bits) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
      marks = Arrays.copyOf(marks, 2 * count);
    }
    int first = start;
    int last = end;
    if (format.trims && (mark & QUOTED) == 0) {
      while (first < last && isBlank(buffer[begin + first])) {
        first++;
      }
      while (first < last
          && isBlank(buffer[begin + last - 1])
          && !isEscaped(begin + first, begin + last - 1)) {
        last--;
      }
    }
    starts[count] = first;
    ends[count] = last;
    marks[count] = bits < 0 ? (byte) (mark | BEYOND_ASCII) : mark;
    count++;
  }

  /** Returns whether an escape character is before a place of a value that begins at another. */
  private boolean isEscaped(int first, int place) {
    if (format.plainEscape == null) {
      return false;
    }
    int before = place;
    while (before > first && buffer[before - 1] == format.plainEscape[0]) {
      before--;
    }
    return (place - before) % 2 == 1;
  }

  private static boolean isBlank(byte each) {
    return each >= 0 && each <= ' ';
  }

  /** Goes behind blanks that are no separators. */
  private void skipBlanks() throws IOException {
    while (fill()
        && isBlank(buffer[at])
        && format.plainKinds[buffer[at] & 0xFF] == CsvFormat.PLAIN) {
      at++;
    }
  }

  /** Returns the bytes of the sign, some bytes further, from which an escape takes its meaning. */
  private int escapedAt(int further) throws IOException {
    if (format.plainEscape != null && has(further, format.plainEscape)) {
      return format.plainEscape.length;
    }
    if (format.escape != null && has(further, format.escape)) {
      return format.escape.length;
    }
    if (format.delimiter.length > 0 && has(further, format.delimiter)) {
      return format.delimiter.length;
    }
    if (format.quote != null && has(further, format.quote)) {
      return format.quote.length;
    }
    return recordEndAt(further);
  }

  /** Returns the bytes of the end of a record, some bytes further; 0 where there is none. */
  private int recordEndAt(int further) throws IOException {
    if (format.recordEnd != null) {
      return has(further, format.recordEnd) ? format.recordEnd.length : 0;
    }
    if (!hasBytes(further + 1)) {
      return 0;
    }
    byte each = buffer[at + further];
    if (each == '\n') {
      return 1;
    }
    if (each != '\r') {
      return 0;
    }
    return hasBytes(further + 2) && buffer[at + further + 1] == '\n' ? 2 : 1;
  }

  private boolean has(int further, byte[] sign) throws IOException {
    if (!hasBytes(further + sign.length)) {
      return false;
    }
    for (int place = 0; place < sign.length; place++) {
      if (buffer[at + further + place] != sign[place]) {
        return false;
      }
    }
    return true;
  }

  private boolean hasBytes(int wanted) throws IOException {
    while (limit - at < wanted) {
      if (!fillMore()) {
        return false;
      }
    }
    return true;
  }

  private int bitsOf(int start, int size) {
    int bits = 0;
    for (int place = start; place < start + size; place++) {
      bits |= buffer[place];
    }
    return bits;
  }

  /** Copies a value without the characters that take the meaning from others. */
  private void unescape(int start, int end, boolean isQuoted) {
    if (unescaped.length < end - start) {
      unescaped = new byte[Math.max(end - start, 2 * unescaped.length)];
    }
    byte[] escape = isQuoted ? format.escape : format.plainEscape;
    unescapedLength = 0;
    for (int place = start; place < end; ) {
      int sign = 0;
      if (escape != null && isAt(place, end, escape)) {
        sign = signAt(place + escape.length, end) > 0 ? escape.length : 0;
      } else if (isQuoted && isAt(place, end, format.quote)) {
        sign = format.quote.length;
      }
      int kept = sign > 0 ? signAt(place + sign, end) : 1;
      System.arraycopy(buffer, place + sign, unescaped, unescapedLength, kept);
      unescapedLength += kept;
      place += sign + kept;
    }
  }

  /** Returns the bytes of the sign at a place of the buffer, in a value: as {@link #escapedAt}. */
  private int signAt(int place, int end) {
    for (byte[] sign :
        new byte[][] {format.plainEscape, format.escape, format.delimiter, format.quote}) {
      if (sign != null && sign.length > 0 && isAt(place, end, sign)) {
        return sign.length;
      }
    }
    if (format.recordEnd != null) {
      return isAt(place, end, format.recordEnd) ? format.recordEnd.length : 0;
    }
    if (place >= end || (buffer[place] != '\n' && buffer[place] != '\r')) {
      return 0;
    }
    return buffer[place] == '\r' && place + 1 < end && buffer[place + 1] == '\n' ? 2 : 1;
  }

  private boolean isAt(int place, int end, byte[] sign) {
    return place + sign.length <= end
        && Arrays.equals(buffer, place, place + sign.length, sign, 0, sign.length);
  }

  private boolean fill() throws IOException {
    return at < limit || fillMore();
  }

  /** Reads more bytes; those of the record stay, at another place of the buffer. */
  private boolean fillMore() throws IOException {
    if (isEnd) {
      return false;
    }
    WatchedText.refuseCancelled();
    if (begin > 0) {
      System.arraycopy(buffer, begin, buffer, 0, limit - begin);
      base += begin;
      at -= begin;
      limit -= begin;
      begin = 0;
    }
    if (limit == buffer.length) {
      if (limit >= MOST_BYTES) {
        throw new IOException("a record has more than " + (MOST_BYTES >> 20) + " MiB");
      }
      buffer = Arrays.copyOf(buffer, 2 * limit);
    }
    int more = input.read(buffer, limit, buffer.length - limit);
    isEnd = more < 0;
    limit += Math.max(more, 0);
    return !isEnd;
  }
}

package icemelt.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Serializable;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * How records and values are told apart in CSV files. Separators are bytes of the encoding in which
 * files are parsed: their own where each byte below 128 is a character of ASCII, else UTF-8, to which
 * the bytes of a file are converted first.
 */
final class CsvFormat implements Serializable {
  private static final long serialVersionUID = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What a byte may begin. */
  static final byte PLAIN = 0;
  static final byte DELIMITER = 1;
  static final byte RECORD_END = 2;
  static final byte ESCAPE = 3;
  static final byte QUOTE = 4;

  // the encodings besides UTF-8 that are parsed as they are
  private static final Set<String> BY_BYTES = Set.of("US-ASCII", "KOI8-R");

  /** The encoding of the files, by Java's name. */
  final String encoding;
  final boolean isConverted;
  /** The text between values; of no bytes where a record is one value. */
  final byte[] delimiter;
  /** The text that ends a record; null for a line feed, a carriage return, or both. */
  final byte[] recordEnd;
  final byte[] quote;
  /** What stands before a sign that is none, in quotes; null where only two quotes are one. */
  final byte[] escape;
  /** The same outside of quotes; null where each sign is one. */
  final byte[] plainEscape;
  final byte[][] nulls;
  final boolean emptyIsNull;
  final boolean trims;
  /** Whether a value in quotes goes over the ends of lines. */
  final boolean isMultiLine;
  /** Whether a line of spaces is a record. */
  final boolean keepsBlankLines;
  final int skippedLines;
  final boolean hasHeader;
  /** What each byte may begin outside of quotes, and in quotes. */
  final byte[] plainKinds;
  final byte[] quotedKinds;

  private CsvFormat(JsonNode written) {
    encoding = written.get("encoding").textValue();
    boolean isPlain = isParsedAsItIs(encoding);
    isConverted = !isPlain;
    delimiter = bytes(written.get("delimiter"));
    recordEnd = bytes(written.get("recordEnd"));
    quote = bytes(written.get("quote"));
    escape = bytes(written.get("escape"));
    plainEscape = bytes(written.get("plainEscape"));
    List<byte[]> texts = new ArrayList<>();
    written.get("nulls").forEach(text -> texts.add(bytes(text)));
    nulls = texts.toArray(new byte[0][]);
    emptyIsNull = written.get("emptyIsNull").booleanValue();
    trims = written.get("trims").booleanValue();
    isMultiLine = written.get("isMultiLine").booleanValue();
    keepsBlankLines = written.get("keepsBlankLines").booleanValue();
    skippedLines = written.get("skippedLines").intValue();
    hasHeader = written.get("hasHeader").booleanValue();
    plainKinds = plainKinds();
    quotedKinds = quotedKinds();
  }

  /**
   * Returns the format of an object of JSON, whose members are the fields of this class: texts, null
   * for none, flags and numbers.
   */
  static CsvFormat of(String written) {
    try {
      return new CsvFormat(JSON.readTree(written));
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException(error);
    }
  }

  /** Returns whether each part of a file can be parsed alone, from the end of a record on. */
  boolean isDivisible() {
    return !isConverted && (quote == null || !isMultiLine);
  }

  /** The encoding in which the bytes are parsed. */
  Charset charset() {
    return isConverted ? StandardCharsets.UTF_8 : Charset.forName(encoding);
  }

  private static boolean isParsedAsItIs(String encoding) {
    return encoding.equals("UTF-8")
        || BY_BYTES.contains(encoding)
        || encoding.startsWith("ISO-8859-")
        || encoding.startsWith("windows-125");
  }

  private byte[] bytes(JsonNode text) {
    return text.isNull() ? null : text.textValue().getBytes(charset());
  }

  private byte[] plainKinds() {
    byte[] kinds = new byte[256];
    note(kinds, delimiter, DELIMITER);
    noteRecordEnd(kinds);
    note(kinds, plainEscape, ESCAPE);
    return kinds;
  }

  private byte[] quotedKinds() {
    byte[] kinds = new byte[256];
    if (!isMultiLine) {
      noteRecordEnd(kinds);
    }
    note(kinds, escape, ESCAPE);
    note(kinds, quote, QUOTE);
    return kinds;
  }

  private void noteRecordEnd(byte[] kinds) {
    if (recordEnd == null) {
      kinds['\n'] = RECORD_END;
      kinds['\r'] = RECORD_END;
    } else {
      note(kinds, recordEnd, RECORD_END);
    }
  }

  private static void note(byte[] kinds, byte[] sign, byte kind) {
    if (sign != null && sign.length > 0) {
      kinds[sign[0] & 0xFF] = kind;
    }
  }
}

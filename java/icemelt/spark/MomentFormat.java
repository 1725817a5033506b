package icemelt.spark;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A format of dates and times in Snowflake's letters: {@code YYYY-MM-DD HH24:MI:SS.FF3 TZH:TZM}.
 *
 * <p>What is no element of a format stands for itself, in double quotes or without them.
 */
final class MomentFormat {
  /** A wall clock that was read, and the offset behind it; null where the text has none. */
  record Moment(LocalDateTime clock, ZoneOffset offset) {}

  private enum Part {
    YEAR, SHORT_YEAR, MONTH, MONTH_NAME, FULL_MONTH_NAME, DAY, DAY_NAME, HOUR, HALF_HOUR, MERIDIEM,
    MINUTE, SECOND, FRACTION, OFFSET, COMPACT_OFFSET, OFFSET_HOUR, SPACE, LITERAL
  }

  private record Element(Part part, String text, int digits) {
    boolean isNumber() {
      return digits > 0 && part != Part.FRACTION;
    }
  }

  private static final Pattern ELEMENT =
      Pattern.compile(
          "\"(?<quoted>[^\"]*)\"|(?<word>YYYY|UUUU|YY|MMMM|MON|MM|DD|DY|HH24|HH12|HH|AM|PM|MI|SS"
              + "|FF[0-9]?|TZHTZM|TZH:TZM|TZH)|(?<space>\\s+)|.",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Map<String, Part> PARTS =
      Map.ofEntries(
          Map.entry("YYYY", Part.YEAR), Map.entry("UUUU", Part.YEAR),
          Map.entry("YY", Part.SHORT_YEAR), Map.entry("MMMM", Part.FULL_MONTH_NAME),
          Map.entry("MON", Part.MONTH_NAME), Map.entry("MM", Part.MONTH),
          Map.entry("DD", Part.DAY), Map.entry("DY", Part.DAY_NAME),
          Map.entry("HH24", Part.HOUR), Map.entry("HH", Part.HOUR),
          Map.entry("HH12", Part.HALF_HOUR), Map.entry("AM", Part.MERIDIEM),
          Map.entry("PM", Part.MERIDIEM), Map.entry("MI", Part.MINUTE),
          Map.entry("SS", Part.SECOND), Map.entry("TZHTZM", Part.COMPACT_OFFSET),
          Map.entry("TZH:TZM", Part.OFFSET), Map.entry("TZH", Part.OFFSET_HOUR));
  private static final String[] MONTHS = {
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December"
  };
  private static final String[] DAYS = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"
  };
  private static final Pattern OFFSET = Pattern.compile("([+-])([0-9]{1,2})(?::?([0-9]{2}))?");
  private static final int FRACTION_DIGITS = 9;
  private static final int CENTURY_START = 70;
  private static final int NOON = 12;
  // formats are few, and a text of each row could be one
  private static final int MOST_KEPT = 1_000;
  private static final Map<String, MomentFormat> KEPT = new ConcurrentHashMap<>();

  private final List<Element> elements = new ArrayList<>();

  private MomentFormat(String written) {
    Matcher matcher = ELEMENT.matcher(written);
    while (matcher.find()) {
      elements.add(element(matcher));
    }
  }

  /** Returns the format of a text. */
  static MomentFormat of(String written) {
    if (KEPT.size() > MOST_KEPT) {
      KEPT.clear();
    }
    return KEPT.computeIfAbsent(written, MomentFormat::new);
  }

  private static Element element(Matcher matcher) {
    if (matcher.group("space") != null) {
      return new Element(Part.SPACE, matcher.group(), 0);
    }
    if (matcher.group("word") == null) {
      String quoted = matcher.group("quoted");
      return new Element(Part.LITERAL, quoted == null ? matcher.group() : quoted, 0);
    }
    String word = matcher.group("word").toUpperCase(Locale.ROOT);
    if (word.startsWith("FF")) {
      int digits = word.length() > 2 ? word.charAt(2) - '0' : FRACTION_DIGITS;
      return new Element(Part.FRACTION, word, digits);
    }
    Part part = PARTS.get(word);
    int digits =
        switch (part) {
          case YEAR -> 4;
          case SHORT_YEAR, MONTH, DAY, HOUR, HALF_HOUR, MINUTE, SECOND -> 2;
          default -> 0;
        };
    return new Element(part, word, digits);
  }

  /** Returns a wall clock as text; an offset of null is written as {@code Z}. */
  String write(LocalDateTime clock, ZoneOffset offset) {
    StringBuilder text = new StringBuilder();
    for (Element element : elements) {
      text.append(write(element, clock, offset));
    }
    return text.toString();
  }

  private static String write(Element element, LocalDateTime clock, ZoneOffset offset) {
    return switch (element.part) {
      case YEAR -> digits(clock.getYear(), 4);
      case SHORT_YEAR -> digits(Math.floorMod(clock.getYear(), 100), 2);
      case MONTH -> digits(clock.getMonthValue(), 2);
      case MONTH_NAME -> clock.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
      case FULL_MONTH_NAME -> MONTHS[clock.getMonthValue() - 1];
      case DAY -> digits(clock.getDayOfMonth(), 2);
      case DAY_NAME -> DAYS[clock.getDayOfWeek().getValue() - 1].substring(0, 3);
      case HOUR -> digits(clock.getHour(), 2);
      case HALF_HOUR -> digits((clock.getHour() + NOON - 1) % NOON + 1, 2);
      case MERIDIEM -> clock.getHour() < NOON ? "AM" : "PM";
      case MINUTE -> digits(clock.getMinute(), 2);
      case SECOND -> digits(clock.getSecond(), 2);
      case FRACTION -> digits(clock.getNano(), FRACTION_DIGITS).substring(0, element.digits);
      case OFFSET -> offset == null ? "Z" : signed(offset) + ":" + minutes(offset);
      case COMPACT_OFFSET -> offset == null ? "Z" : signed(offset) + minutes(offset);
      case OFFSET_HOUR -> offset == null ? "Z" : signed(offset);
      case SPACE, LITERAL -> element.text;
    };
  }

  private static String digits(int number, int width) {
    // a format of Java's reads its own text anew for each number
    String written = Integer.toString(Math.abs(number));
    String sign = number < 0 ? "-" : "";
    return sign + "0".repeat(Math.max(0, width - sign.length() - written.length())) + written;
  }

  private static String signed(ZoneOffset offset) {
    int seconds = offset.getTotalSeconds();
    return (seconds < 0 ? "-" : "+") + digits(Math.abs(seconds) / 3600, 2);
  }

  private static String minutes(ZoneOffset offset) {
    return digits(Math.abs(offset.getTotalSeconds()) / 60 % 60, 2);
  }

  /** Returns what a text means by this format, null where the text is of another form. */
  Moment read(String text) {
    Reading reading = new Reading(text);
    for (int at = 0; at < elements.size(); at++) {
      boolean isFull = at + 1 < elements.size() && elements.get(at + 1).isNumber();
      if (!reading.take(elements.get(at), isFull)) {
        return null;
      }
    }
    return reading.end();
  }

  /** A text of which the elements of a format take one part after the other. */
  private static final class Reading {
    private final String text;
    private int at = 0;
    private int year = 1970;
    private int month = 1;
    private int day = 1;
    private int hour = 0;
    private int minute = 0;
    private int second = 0;
    private int nanos = 0;
    private boolean isHalf = false;
    private String meridiem = "";
    private ZoneOffset offset = null;

    Reading(String text) {
      this.text = text;
    }

    boolean take(Element element, boolean isFull) {
      int before = at;
      skipSpace();
      return switch (element.part) {
        case SPACE -> at > before || before == 0;
        case LITERAL -> takeText(element.text);
        case FRACTION -> takeFraction(element.digits);
        case OFFSET, COMPACT_OFFSET, OFFSET_HOUR -> takeOffset();
        case MONTH_NAME, FULL_MONTH_NAME -> (month = takeName(MONTHS)) > 0;
        case DAY_NAME -> takeName(DAYS) > 0;
        case MERIDIEM -> takeMeridiem();
        default -> takeNumber(element, isFull);
      };
    }

    Moment end() {
      skipSpace();
      if (at < text.length() || isHalf && (hour < 1 || hour > NOON)) {
        return null;
      }
      if (isHalf && !meridiem.isEmpty()) {
        hour = hour % NOON + (meridiem.equals("PM") ? NOON : 0);
      }
      try {
        return new Moment(
            LocalDateTime.of(year, month, day, hour, minute, second, nanos), offset);
      } catch (DateTimeException error) {
        return null;
      }
    }

    private void skipSpace() {
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
    }

    private boolean takeText(String literal) {
      boolean isHere = text.startsWith(literal.strip(), at);
      at += isHere ? literal.strip().length() : 0;
      return isHere;
    }

    private int countDigits(int most) {
      int end = at;
      while (end < text.length() && end - at < most && isDigit(text.charAt(end))) {
        end++;
      }
      return end - at;
    }

    private static boolean isDigit(char character) {
      return character >= '0' && character <= '9';
    }

    private boolean takeNumber(Element element, boolean isFull) {
      int count = countDigits(element.digits);
      if (count < (isFull ? element.digits : 1)) {
        return false;
      }
      int number = Integer.parseInt(text.substring(at, at + count));
      at += count;
      switch (element.part) {
        case YEAR -> year = number;
        case SHORT_YEAR -> year = number + (number < CENTURY_START ? 2000 : 1900);
        case MONTH -> month = number;
        case DAY -> day = number;
        case HALF_HOUR -> isHalf = true;
        case MINUTE -> minute = number;
        case SECOND -> second = number;
        default -> { }
      }
      if (element.part == Part.HOUR || element.part == Part.HALF_HOUR) {
        hour = number;
      }
      return true;
    }

    private boolean takeFraction(int most) {
      int count = countDigits(most);
      String digits = text.substring(at, at + count);
      nanos = Integer.parseInt((digits + "000000000").substring(0, FRACTION_DIGITS));
      at += count;
      return count > 0 || most == 0;
    }

    private boolean takeOffset() {
      if (text.startsWith("Z", at)) {
        at++;
        offset = ZoneOffset.UTC;
        return true;
      }
      Matcher matcher = OFFSET.matcher(text).region(at, text.length());
      if (!matcher.lookingAt()) {
        return false;
      }
      at = matcher.end();
      offset = offsetOf(matcher.group(1), matcher.group(2), matcher.group(3), null);
      return offset != null;
    }

    private boolean takeMeridiem() {
      String word = text.substring(at, Math.min(at + 2, text.length())).toUpperCase(Locale.ROOT);
      at += word.length();
      meridiem = word;
      return word.equals("AM") || word.equals("PM");
    }

    /** Takes a name in full or its first three letters; 0 where the text has neither. */
    private int takeName(String[] names) {
      for (int number = 0; number < names.length; number++) {
        for (String name : new String[] {names[number], names[number].substring(0, 3)}) {
          if (text.regionMatches(true, at, name, 0, name.length())) {
            at += name.length();
            return number + 1;
          }
        }
      }
      return 0;
    }
  }

  /** Returns an offset of hours, minutes and seconds, null where it is over eighteen hours. */
  static ZoneOffset offsetOf(String sign, String hours, String minutes, String further) {
    int count = (Integer.parseInt(hours) * 60 + orZero(minutes)) * 60 + orZero(further);
    int seconds = sign.equals("-") ? -count : count;
    return Math.abs(seconds) > ZoneOffset.MAX.getTotalSeconds()
        ? null
        : ZoneOffset.ofTotalSeconds(seconds);
  }

  private static int orZero(String digits) {
    return digits == null ? 0 : Integer.parseInt(digits);
  }
}

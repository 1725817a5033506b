package icemelt.spark;

import java.time.LocalDate;
import java.time.Month;
import java.time.ZoneOffset;
import java.time.chrono.IsoChronology;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A date or a time as ISO 8601 writes it, and as most files do: read of the bytes of a text, without
 * a pattern. {@link Moments} reads the other forms, and tells why a text is none.
 *
 * <pre>
 * 2024-05-01   2024-05-01T10:20:30   2024-05-01 10:20:30.123456   2024-05-01T10:20:30.5+02:00
 * </pre>
 */
final class IsoMoment {
  private static final long SECOND = 1_000_000L;
  private static final long DAY = 24 * 60 * 60 * SECOND;
  private static final int DATE_BYTES = 10;
  private static final int SECOND_BYTES = 19;
  private static final int MOST_DIGITS = 9;
  private static final int MICRO_DIGITS = 6;

  private final UTF8String text;
  private final int length;
  private int at;
  private long days;
  // of the day, in microseconds
  private long time;
  private boolean hasOffset;
  private int offset;

  private IsoMoment(UTF8String text) {
    this.text = text;
    length = text.numBytes();
  }

  /** Returns what a text means; null for a text of another form, and for one that is no moment. */
  static IsoMoment of(UTF8String text) {
    IsoMoment moment = new IsoMoment(text);
    return moment.readDate() && moment.readTime() && moment.readOffset() ? moment : null;
  }

  /** The days of the wall clock since 1970. */
  int days() {
    return (int) days;
  }

  /** The wall clock in microseconds since 1970. */
  long clock() {
    return days * DAY + time;
  }

  boolean hasOffset() {
    return hasOffset;
  }

  /** The instant in microseconds since 1970, if the text has an offset. */
  long instant() {
    return clock() - offset * SECOND;
  }

  private boolean readDate() {
    if (length < DATE_BYTES || byteAt(4) != '-' || byteAt(7) != '-') {
      return false;
    }
    int year = pair(0) * 100 + pair(2);
    int month = pair(5);
    int day = pair(8);
    if (year < 0 || month < 1 || month > 12 || day < 1) {
      return false;
    }
    if (day > Month.of(month).length(IsoChronology.INSTANCE.isLeapYear(year))) {
      return false;
    }
    days = LocalDate.of(year, month, day).toEpochDay();
    at = DATE_BYTES;
    return true;
  }

  private boolean readTime() {
    if (length == DATE_BYTES) {
      return true;
    }
    byte mark = byteAt(DATE_BYTES);
    if (length < SECOND_BYTES || (mark != 'T' && mark != ' ')) {
      return false;
    }
    int hour = pair(11);
    int minute = pair(14);
    int second = pair(17);
    boolean isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60;
    if (!isTime || second < 0 || second > 59 || byteAt(13) != ':' || byteAt(16) != ':') {
      return false;
    }
    time = ((hour * 60 + minute) * 60L + second) * SECOND;
    at = SECOND_BYTES;
    return at == length || byteAt(at) != '.' || readFraction();
  }

  /** Reads the digits behind a point; those behind the sixth count for nothing. */
  private boolean readFraction() {
    int first = ++at;
    int micros = 0;
    while (at < length && isDigit(byteAt(at))) {
      if (at - first < MICRO_DIGITS) {
        micros = micros * 10 + byteAt(at) - '0';
      }
      at++;
    }
    int digits = at - first;
    for (int missing = digits; missing < MICRO_DIGITS; missing++) {
      micros *= 10;
    }
    time += micros;
    return digits > 0 && digits <= MOST_DIGITS;
  }

  private boolean readOffset() {
    if (at == length) {
      return true;
    }
    hasOffset = true;
    byte sign = byteAt(at);
    if (sign == 'Z') {
      return at + 1 == length;
    }
    if ((sign != '+' && sign != '-') || length - at != 6 || byteAt(at + 3) != ':') {
      return false;
    }
    int hours = pair(at + 1);
    int minutes = pair(at + 4);
    int seconds = (hours * 60 + minutes) * 60;
    offset = sign == '-' ? -seconds : seconds;
    return hours >= 0 && minutes >= 0 && seconds <= ZoneOffset.MAX.getTotalSeconds();
  }

  /** Returns the number of two digits; far below zero where there is another byte. */
  private int pair(int place) {
    byte tens = byteAt(place);
    byte ones = byteAt(place + 1);
    return isDigit(tens) && isDigit(ones) ? (tens - '0') * 10 + ones - '0' : -100_000;
  }

  private static boolean isDigit(byte each) {
    return each >= '0' && each <= '9';
  }

  private byte byteAt(int place) {
    return text.getByte(place);
  }
}

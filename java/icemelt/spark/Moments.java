package icemelt.spark;

import icemelt.spark.MomentFormat.Moment;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.unsafe.types.UTF8String;

/** Texts as dates and times, and dates and times as texts, by Snowflake's formats. */
public final class Moments {
  private static final String AUTO = "AUTO";
  private static final UTF8String AUTO_TEXT = UTF8String.fromString(AUTO);
  /** What icemelt.session.runtime.value_errors reads. */
  private static final String REFUSED = "icemelt-moment:";
  private static final int MOST_SHOWN = 100;
  private static final Pattern ISO =
      Pattern.compile(
          "([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
              + "(?:(?:T| +)([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2})(?:[.]([0-9]{1,9}))?)?)?"
              + " *(?:(Z)|([+-])([0-9]{1,2})(?::?([0-9]{2})(?::?([0-9]{2}))?)?)?)?");
  private static final Pattern DIGITS = Pattern.compile("[+-]?[0-9]{1,22}");
  private static final MomentFormat[] OTHERS =
      Stream.of(
              "MM/DD/YYYY", "MM/DD/YYYY HH24:MI:SS", "DD-MON-YYYY", "DD-MON-YYYY HH24:MI:SS",
              "DY, DD MON YYYY HH24:MI:SS TZHTZM", "DY, DD MON YYYY HH24:MI:SS.FF TZHTZM",
              "DY, DD MON YYYY HH12:MI:SS AM TZHTZM", "DY, DD MON YYYY HH12:MI:SS.FF AM TZHTZM",
              "DY, DD MON YYYY HH24:MI:SS", "DY, DD MON YYYY HH24:MI:SS.FF",
              "DY, DD MON YYYY HH12:MI:SS AM", "DY, DD MON YYYY HH12:MI:SS.FF AM",
              "DY MON DD HH24:MI:SS TZHTZM YYYY")
          .map(MomentFormat::of)
          .toArray(MomentFormat[]::new);
  private static final BigInteger THOUSAND = BigInteger.valueOf(1_000);
  private static final long MILLION = 1_000_000L;
  // from these numbers on digits are milliseconds, microseconds and nanoseconds
  private static final long MILLISECONDS = 31_536_000_000L;
  private static final long MICROSECONDS = MILLISECONDS * 1_000;
  private static final long NANOSECONDS = MICROSECONDS * 1_000;

  private Moments() {}

  /** Returns a wall clock, in microseconds since 1970, as text. */
  public static UTF8String clockText(long micros, UTF8String format) {
    LocalDateTime clock = at(micros).atOffset(ZoneOffset.UTC).toLocalDateTime();
    return UTF8String.fromString(MomentFormat.of(format.toString()).write(clock, null));
  }

  /** Returns an instant, in microseconds since 1970, as text of a zone's wall clock. */
  public static UTF8String instantText(long micros, UTF8String format, UTF8String zone) {
    ZonedDateTime time = at(micros).atZone(ZoneId.of(zone.toString()));
    MomentFormat written = MomentFormat.of(format.toString());
    return UTF8String.fromString(written.write(time.toLocalDateTime(), time.getOffset()));
  }

  /** Returns the wall clock of a text, whatever offset it has; null for a text of another form. */
  public static Long readClock(UTF8String text, UTF8String format) {
    IsoMoment iso = readAtOnce(text, format);
    if (iso != null) {
      return iso.clock();
    }
    Moment read = read(text, format);
    return read == null ? null : micros(read.clock(), ZoneOffset.UTC);
  }

  /** Returns the day of the wall clock of a text, since 1970; null for a text of another form. */
  public static Integer readDate(UTF8String text, UTF8String format) {
    IsoMoment iso = readAtOnce(text, format);
    if (iso != null) {
      return iso.days();
    }
    Moment read = read(text, format);
    return read == null ? null : (Integer) (int) read.clock().toLocalDate().toEpochDay();
  }

  /** Returns the instant of a text, of a zone's wall clock where the text has no offset. */
  public static Long readInstant(UTF8String text, UTF8String format, UTF8String zone) {
    IsoMoment iso = readAtOnce(text, format);
    if (iso != null) {
      return iso.hasOffset() ? iso.instant() : instantOf(iso.clock(), zone);
    }
    Moment read = read(text, format);
    if (read == null) {
      return null;
    }
    ZoneOffset offset = read.offset();
    if (offset != null) {
      return micros(read.clock(), offset);
    }
    return instantOf(micros(read.clock(), ZoneOffset.UTC), zone);
  }

  /** Returns the wall clock of a text as {@link #readClock}; another text is an error. */
  public static long needClock(UTF8String text, UTF8String format) {
    return need(readClock(text, format), "TIMESTAMP_NTZ", text);
  }

  /** Returns the day of a text as {@link #readDate}; another text is an error. */
  public static int needDate(UTF8String text, UTF8String format) {
    return need(readDate(text, format), "DATE", text);
  }

  /** Returns the instant of a text as {@link #readInstant}; another text is an error. */
  public static long needInstant(UTF8String text, UTF8String format, UTF8String zone) {
    return need(readInstant(text, format, zone), "TIMESTAMP_LTZ", text);
  }

  private static <T> T need(T read, String kind, UTF8String text) {
    if (read == null) {
      throw RaisedErrors.of(REFUSED + kind + ":" + text.substring(0, MOST_SHOWN));
    }
    return read;
  }

  /** Returns the instant, in microseconds, at which a zone's clock shows some microseconds. */
  private static long instantOf(long clock, UTF8String zone) {
    LocalDateTime shown = at(clock).atOffset(ZoneOffset.UTC).toLocalDateTime();
    ZonedDateTime time = shown.atZone(ZoneId.of(zone.toString()));
    return micros(time.toLocalDateTime(), time.getOffset());
  }

  private static Instant at(long micros) {
    long seconds = Math.floorDiv(micros, MILLION);
    return Instant.ofEpochSecond(seconds, Math.floorMod(micros, MILLION) * 1_000);
  }

  private static long micros(LocalDateTime clock, ZoneOffset offset) {
    return clock.toEpochSecond(offset) * MILLION + clock.getNano() / 1_000;
  }

  /** Returns what a text in ISO's most usual form means without a format; null elsewhere. */
  private static IsoMoment readAtOnce(UTF8String text, UTF8String format) {
    return format.equals(AUTO_TEXT) ? IsoMoment.of(text) : null;
  }

  private static Moment read(UTF8String text, UTF8String format) {
    String written = format.toString();
    return written.equalsIgnoreCase(AUTO)
        ? recognize(text.toString().strip())
        : MomentFormat.of(written).read(text.toString());
  }

  private static Moment recognize(String text) {
    Matcher iso = ISO.matcher(text);
    if (iso.matches()) {
      return readIso(iso);
    }
    if (DIGITS.matcher(text).matches()) {
      return readDigits(new BigInteger(text));
    }
    for (MomentFormat format : OTHERS) {
      Moment read = format.read(text);
      if (read != null) {
        return read;
      }
    }
    return null;
  }

  /** Reads seconds since 1970, or smaller units where they are many; null for too many. */
  private static Moment readDigits(BigInteger number) {
    Long micros = number.bitLength() < Long.SIZE ? (Long) microsOf(number.longValue()) : null;
    if (micros == null) {
      // nanoseconds, rounded down
      BigInteger floor = number.subtract(number.mod(THOUSAND)).divide(THOUSAND);
      if (floor.bitLength() >= Long.SIZE) {
        return null;
      }
      micros = floor.longValue();
    }
    return new Moment(at(micros).atOffset(ZoneOffset.UTC).toLocalDateTime(), ZoneOffset.UTC);
  }

  private static Moment readIso(Matcher iso) {
    ZoneOffset offset = iso.group(8) == null ? null : ZoneOffset.UTC;
    if (iso.group(9) != null) {
      offset =
          MomentFormat.offsetOf(iso.group(9), iso.group(10), iso.group(11), iso.group(12));
      if (offset == null) {
        return null;
      }
    }
    String fraction = iso.group(7) == null ? "" : iso.group(7);
    int nanos = Integer.parseInt((fraction + "000000000").substring(0, 9));
    try {
      return new Moment(
          LocalDateTime.of(
              number(iso, 1), number(iso, 2), number(iso, 3), number(iso, 4), number(iso, 5),
              number(iso, 6), nanos),
          offset);
    } catch (DateTimeException error) {
      return null;
    }
  }

  private static int number(Matcher matcher, int group) {
    return matcher.group(group) == null ? 0 : Integer.parseInt(matcher.group(group));
  }

  private static long microsOf(long number) {
    long size = Math.abs(number);
    if (size < MILLISECONDS) {
      return number * MILLION;
    }
    if (size < MICROSECONDS) {
      return number * 1_000;
    }
    return size < NANOSECONDS ? number : Math.floorDiv(number, 1_000L);
  }
}

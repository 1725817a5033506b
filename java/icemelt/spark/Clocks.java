package icemelt.spark;

import java.time.LocalDate;
import org.apache.spark.unsafe.types.UTF8String;

/** Wall clocks, in microseconds since 1970: no zone takes an hour from them. */
public final class Clocks {
  private static final long SECOND = 1_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  // 1970 began on a Thursday, three days after a Monday
  private static final long AFTER_MONDAY = 3;

  private Clocks() {}

  /** Returns the begin of the unit that a wall clock is in. */
  public static long cut(long micros, UTF8String unit) {
    String name = unit.toString();
    long size = size(name);
    if (size > 0) {
      return Math.floorDiv(micros, size) * size;
    }
    LocalDate day = LocalDate.ofEpochDay(Math.floorDiv(micros, DAY));
    LocalDate first =
        switch (name) {
          case "YEAR" -> day.withDayOfYear(1);
          case "QUARTER" -> day.withDayOfMonth(1).minusMonths((day.getMonthValue() - 1) % 3);
          case "MONTH" -> day.withDayOfMonth(1);
          default -> day.minusDays(day.getDayOfWeek().getValue() - 1);
        };
    return first.toEpochDay() * DAY;
  }

  /** Returns how many begins of a unit are after the first wall clock, up to the second. */
  public static long between(UTF8String unit, long start, long end) {
    String name = unit.toString();
    return number(name, end) - number(name, start);
  }

  private static long number(String unit, long micros) {
    long size = size(unit);
    if (size > 0) {
      return unit.equals("NANOSECOND") ? micros * 1_000 : Math.floorDiv(micros, size);
    }
    long number = Math.floorDiv(micros, DAY);
    LocalDate day = LocalDate.ofEpochDay(number);
    return switch (unit) {
      case "YEAR" -> day.getYear();
      case "QUARTER" -> day.getYear() * 4L + (day.getMonthValue() - 1) / 3;
      case "MONTH" -> day.getYear() * 12L + day.getMonthValue();
      default -> Math.floorDiv(number + AFTER_MONDAY, 7L);
    };
  }

  /** Returns the length of a unit, 0 for units that differ in length or begin on a Monday. */
  private static long size(String unit) {
    return switch (unit) {
      case "DAY" -> DAY;
      case "HOUR" -> HOUR;
      case "MINUTE" -> MINUTE;
      case "SECOND" -> SECOND;
      case "MILLISECOND" -> SECOND / 1_000;
      case "MICROSECOND", "NANOSECOND" -> 1;
      default -> 0;
    };
  }
}

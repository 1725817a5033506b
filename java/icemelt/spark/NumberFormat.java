package icemelt.spark;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A format of numbers in Snowflake's letters: {@code $999,990.00}, {@code S0XXX}, {@code TM9}.
 *
 * <p>A position of {@code 0} always shows its digit; one of {@code 9} is blank where the number has
 * no digit that counts.
 */
public final class NumberFormat {
  private static final Pattern ELEMENT =
      Pattern.compile(
          "\"(?<quoted>[^\"]*)\"|(?<mode>FM)|(?<minimal>TM9|TME|TM)|(?<sign>MI|S)|(?<blank>B)"
              + "|(?<dollar>[$])|(?<digits>[09X][09X,G]*(?:[.D][09]*)?|[.D][09]+)|.",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final int HEX_BITS = 4;
  // a statement has few formats, and they are literals
  private static final int MOST_KEPT = 1_000;
  private static final Map<String, NumberFormat> KEPT = new ConcurrentHashMap<>();

  private final StringBuilder before = new StringBuilder();
  private final StringBuilder after = new StringBuilder();
  private String whole = "";
  private String fraction = "";
  private String minimal = "";
  private String leading = "";
  private String trailing = "";
  private boolean hasPoint = false;
  private boolean isCompact = false;
  private boolean isBlank = false;
  private boolean hasDollar = false;
  private boolean isLower = false;

  private NumberFormat(String written) {
    Matcher matcher = ELEMENT.matcher(written);
    while (matcher.find()) {
      add(matcher);
    }
  }

  /** Returns a number as text; the number is written as Spark writes it. */
  public static UTF8String write(UTF8String number, UTF8String format) {
    return UTF8String.fromString(of(format).write(number.toString()));
  }

  /** Returns the number of a text by a format, in plain digits; null for a text of another form. */
  public static UTF8String read(UTF8String text, UTF8String format) {
    return UTF8String.fromString(of(format).read(text.toString()));
  }

  private static NumberFormat of(UTF8String format) {
    if (KEPT.size() > MOST_KEPT) {
      KEPT.clear();
    }
    return KEPT.computeIfAbsent(format.toString(), NumberFormat::new);
  }

  private boolean hasDigits() {
    return !whole.isEmpty() || hasPoint || !minimal.isEmpty();
  }

  private boolean isHex() {
    return whole.indexOf('X') >= 0;
  }

  private void add(Matcher matcher) {
    if (matcher.group("mode") != null) {
      isCompact = true;
    } else if (matcher.group("blank") != null) {
      isBlank = true;
    } else if (matcher.group("dollar") != null) {
      hasDollar = true;
    } else if (matcher.group("sign") != null && hasDigits()) {
      trailing = matcher.group().toUpperCase(Locale.ROOT);
    } else if (matcher.group("sign") != null) {
      leading = matcher.group().toUpperCase(Locale.ROOT);
    } else if (matcher.group("minimal") != null) {
      minimal = matcher.group();
    } else if (matcher.group("digits") != null) {
      addDigits(matcher.group());
    } else {
      String quoted = matcher.group("quoted");
      (hasDigits() ? after : before).append(quoted == null ? matcher.group() : quoted);
    }
  }

  private void addDigits(String written) {
    isLower = written.indexOf('x') >= 0;
    String digits = written.toUpperCase(Locale.ROOT).replace('D', '.').replace('G', ',');
    int point = digits.indexOf('.');
    hasPoint = point >= 0;
    whole = hasPoint ? digits.substring(0, point) : digits;
    fraction = hasPoint ? digits.substring(point + 1) : "";
  }

  private String write(String text) {
    boolean isFinite = !text.endsWith("NaN") && !text.endsWith("Infinity");
    BigDecimal number = isFinite ? new BigDecimal(text) : BigDecimal.ZERO;
    if (!minimal.isEmpty()) {
      String body = isFinite ? minimalText(number.abs(), text.indexOf('E') >= 0) : text;
      return before + place("", body, number.signum() < 0, true) + after;
    }
    if (isHex()) {
      return before + hexText(number.setScale(0, RoundingMode.HALF_UP).toBigInteger()) + after;
    }
    BigDecimal rounded = number.setScale(fraction.length(), RoundingMode.HALF_UP);
    String body = isFinite ? fill(rounded.abs()) : overflow();
    int blanks = body.length() - body.stripLeading().length();
    String padding = body.substring(0, blanks);
    return before + place(padding, body.substring(blanks), rounded.signum() < 0, false) + after;
  }

  /** Puts the sign and the dollar sign in front of a body, or behind, and leaves blanks out. */
  private String place(String padding, String body, boolean isNegative, boolean isMinimal) {
    String sign = sign(leading, isNegative);
    String dollar = hasDollar ? "$" : "";
    String text;
    if (leading.equals("MI")) {
      text = sign + padding + dollar + body;
    } else if (!trailing.isEmpty()) {
      text = padding + dollar + body + sign(trailing, isNegative);
    } else if (leading.isEmpty() && !isNegative) {
      text = (isMinimal ? "" : " ") + padding + dollar + body;
    } else {
      text = padding + sign + dollar + body;
    }
    return isCompact ? text.replace(" ", "") : text;
  }

  private static String sign(String element, boolean isNegative) {
    if (isNegative) {
      return "-";
    }
    return element.equals("S") ? "+" : element.equals("MI") ? " " : "";
  }

  private int positions() {
    return whole.replace(",", "").length();
  }

  private String overflow() {
    String digits = whole + (hasPoint ? "." : "") + fraction;
    return digits.replaceAll("[09X]", "#");
  }

  private String fill(BigDecimal size) {
    String plain = size.toPlainString();
    int point = plain.indexOf('.');
    String digits = point < 0 ? plain : plain.substring(0, point);
    digits = digits.equals("0") ? "" : digits;
    if (digits.length() > positions()) {
      return overflow();
    }
    boolean showsZero = digits.isEmpty() && !isBlank;
    return fillWhole(digits, showsZero) + (hasPoint ? "." : "")
        + fillFraction(point < 0 ? "" : plain.substring(point + 1));
  }

  private String fillWhole(String digits, boolean showsZero) {
    StringBuilder text = new StringBuilder();
    int left = positions();
    boolean isShown = false;
    for (char position : whole.toCharArray()) {
      if (position == ',') {
        text.append(isShown ? ',' : ' ');
        continue;
      }
      boolean hasDigit = left <= digits.length();
      isShown |= hasDigit || position == '0' || (showsZero && left == 1);
      char digit = hasDigit ? digits.charAt(digits.length() - left) : '0';
      text.append(isShown ? digit : ' ');
      left--;
    }
    return text.toString();
  }

  private String fillFraction(String digits) {
    int end = fraction.length();
    while (end > 0 && fraction.charAt(end - 1) == '9' && digits.charAt(end - 1) == '0') {
      end--;
    }
    return digits.substring(0, end) + " ".repeat(fraction.length() - end);
  }

  private String hexText(BigInteger number) {
    boolean isSigned = !leading.isEmpty() || !trailing.isEmpty();
    BigInteger all = BigInteger.ONE.shiftLeft(HEX_BITS * positions());
    BigInteger shown = isSigned ? number.abs() : number;
    BigInteger least = isSigned ? BigInteger.ZERO : all.shiftRight(1).negate();
    if (shown.compareTo(all) >= 0 || shown.compareTo(least) < 0) {
      return "#".repeat(positions());
    }
    String digits = shown.mod(all).toString(16);
    digits = digits.equals("0") ? "" : isLower ? digits : digits.toUpperCase(Locale.ROOT);
    String body = fillWhole(digits, digits.isEmpty() && !isBlank);
    int blanks = body.length() - body.stripLeading().length();
    boolean isNegative = isSigned && number.signum() < 0;
    return place(body.substring(0, blanks), body.substring(blanks), isNegative, true);
  }

  private String minimalText(BigDecimal size, boolean isLarge) {
    String form = minimal.toUpperCase(Locale.ROOT);
    String plain = (isLarge ? size.stripTrailingZeros() : size).toPlainString();
    if (form.equals("TM9")) {
      return plain;
    }
    BigDecimal least = size.stripTrailingZeros();
    int exponent = size.signum() == 0 ? 0 : least.precision() - least.scale() - 1;
    String mantissa = size.signum() == 0 ? "0" : least.movePointLeft(exponent).toPlainString();
    String scientific = mantissa + (minimal.charAt(0) == 't' ? "e" : "E") + exponent;
    return form.equals("TM") && plain.length() <= scientific.length() ? plain : scientific;
  }

  private String read(String text) {
    String rest = text.strip();
    if (!rest.startsWith(before.toString().strip()) || !rest.endsWith(after.toString().strip())) {
      return null;
    }
    int start = before.toString().strip().length();
    int end = rest.length() - after.toString().strip().length();
    return end < start ? null : readSigned(rest.substring(start, end).strip());
  }

  private String readSigned(String text) {
    boolean isBehind = !trailing.isEmpty() && text.matches("(?s).*[+-]");
    String sign = isBehind ? text.substring(text.length() - 1) : "";
    String rest = isBehind ? text.substring(0, text.length() - 1).strip() : text;
    if (!isBehind && (rest.startsWith("-") || rest.startsWith("+"))) {
      sign = rest.substring(0, 1);
      rest = rest.substring(1).strip();
    }
    if (hasDollar) {
      if (!rest.startsWith("$")) {
        return null;
      }
      rest = rest.substring(1).strip();
    }
    String size = minimal.isEmpty() ? readDigits(rest) : readMinimal(rest);
    return size == null ? null : (sign.equals("-") ? "-" : "") + size;
  }

  private String readMinimal(String text) {
    String form = minimal.toUpperCase(Locale.ROOT);
    String exponent = form.equals("TM9") ? "" : form.equals("TM") ? "([eE][+-]?[0-9]{1,3})?"
        : "[eE][+-]?[0-9]{1,3}";
    boolean isOne = text.matches("([0-9]+[.]?[0-9]*|[.][0-9]+)" + exponent);
    return isOne ? new BigDecimal(text).toPlainString() : null;
  }

  private String readDigits(String text) {
    if (isHex()) {
      boolean fits = text.matches("[0-9A-Fa-f]+") && text.length() <= positions();
      return fits ? new BigInteger(text, 16).toString() : null;
    }
    int point = text.indexOf('.');
    String digits = point < 0 ? text : text.substring(0, point);
    String behind = point < 0 ? "" : text.substring(point + 1);
    String plain = digits.replace(",", "");
    boolean isOne = plain.matches("[0-9]*") && behind.matches("[0-9]*");
    isOne &= !(plain + behind).isEmpty() && (point < 0 || hasPoint);
    isOne &= plain.length() <= positions() && behind.length() <= fraction.length();
    isOne &= plain.length() >= requiredWhole() && behind.length() >= requiredFraction();
    return isOne && isGrouped(digits) ? plain + "." + behind + "0" : null;
  }

  /** Returns how many digits before the point the positions of 0 ask for. */
  private int requiredWhole() {
    int first = whole.indexOf('0');
    return first < 0 ? 0 : whole.substring(first).replace(",", "").length();
  }

  private int requiredFraction() {
    return fraction.lastIndexOf('0') + 1;
  }

  /** Tells whether the separators of groups are those of the format, or are left out. */
  private boolean isGrouped(String digits) {
    for (int behind = 1; behind <= digits.length(); behind++) {
      boolean isThere = digits.charAt(digits.length() - behind) == ',';
      int place = whole.length() - behind;
      if (isThere && (place < 0 || whole.charAt(place) != ',')) {
        return false;
      }
      if (!isThere && digits.indexOf(',') >= 0 && (place < 0 || whole.charAt(place) == ',')) {
        return false;
      }
    }
    return true;
  }
}

package icemelt.spark;

/** Functions of the bits of whole numbers and of binaries. None is called with a NULL. */
public final class Bits {
  private static final int ALL = 64;

  private Bits() {}

  /** Returns a number times a power of two; refuses what does not fit. */
  public static long shiftLeft(long number, long count) {
    checkCount(count);
    if (number == 0) {
      return 0;
    }
    long shifted = count < ALL ? number << count : 0;
    if (count >= ALL || shifted >> count != number) {
      throw PatternRefused.argument(
          "BITSHIFTLEFT makes numbers of up to 63 bits, found " + number + " by " + count + ".",
          "Multiply by POWER(2, n)::NUMBER(38, 0).");
    }
    return shifted;
  }

  /** Returns a number without its last bits; the sign stays. */
  public static long shiftRight(long number, long count) {
    checkCount(count);
    return number >> Math.min(count, ALL - 1);
  }

  /** Returns a bit of a number, counted from the last one, which is 0. */
  public static int bit(long number, long position) {
    checkCount(position);
    return (int) (number >> Math.min(position, ALL - 1) & 1);
  }

  private static void checkCount(long count) {
    if (count < 0) {
      throw PatternRefused.argument(
          "Bits are counted from 0 on, found " + count + ".",
          "Shift by 0 or more; BITSHIFTRIGHT is the other direction.");
    }
  }

  /** Returns the bits that both binaries have. */
  public static byte[] and(byte[] left, byte[] right) {
    byte[] result = sameLength(left, right);
    for (int at = 0; at < result.length; at++) {
      result[at] &= right[at];
    }
    return result;
  }

  /** Returns the bits that one of the binaries has. */
  public static byte[] or(byte[] left, byte[] right) {
    byte[] result = sameLength(left, right);
    for (int at = 0; at < result.length; at++) {
      result[at] |= right[at];
    }
    return result;
  }

  /** Returns the bits that exactly one of the binaries has. */
  public static byte[] xor(byte[] left, byte[] right) {
    byte[] result = sameLength(left, right);
    for (int at = 0; at < result.length; at++) {
      result[at] ^= right[at];
    }
    return result;
  }

  /** Returns the bits that a binary has not. */
  public static byte[] not(byte[] bytes) {
    byte[] result = bytes.clone();
    for (int at = 0; at < result.length; at++) {
      result[at] = (byte) ~result[at];
    }
    return result;
  }

  private static byte[] sameLength(byte[] left, byte[] right) {
    if (left.length != right.length) {
      throw PatternRefused.argument(
          "The bits of binaries of one length are compared, found "
              + left.length
              + " and "
              + right.length
              + " bytes.",
          "Write LPAD(b, 8, X'00').");
    }
    return left.clone();
  }
}

package icemelt.spark;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.apache.spark.unsafe.types.UTF8String;

/** The names of files, of which Spark gives each row the address. */
public final class FileNames {
  private record Last(UTF8String address, UTF8String name) {}

  // the rows of a file come one after the other
  private static final ThreadLocal<Last> LAST = new ThreadLocal<>();

  private FileNames() {}

  /** Returns the name of the file at an address, in which a plus is no space. */
  public static UTF8String decode(UTF8String address) {
    Last last = LAST.get();
    if (last == null || !last.address.equals(address)) {
      String plain = address.toString().replace("+", "%2B");
      UTF8String name = UTF8String.fromString(URLDecoder.decode(plain, StandardCharsets.UTF_8));
      last = new Last(address.copy(), name);
      LAST.set(last);
    }
    return last.name;
  }
}

package icemelt.spark;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Pages of a listing for Python, which asks Java once for a page, and not six times for each file.
 *
 * <p>Of each file a page has its text (a length in bytes, then UTF-8), its size, the time of its last
 * change, its tag (as the text; empty where the store has none), and whether it is a folder.
 */
public final class FileListing {
  private FileListing() {}

  /** Returns the next files of a listing, {@code most} at most, by their locations; none at its end. */
  public static byte[] nextPage(RemoteIterator<? extends FileStatus> files, int most)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream page = new DataOutputStream(bytes);
    for (int count = 0; count < most && files.hasNext(); count++) {
      FileStatus status = files.next();
      write(page, status.getPath().toString(), status);
    }
    return bytes.toByteArray();
  }

  /** Returns a page of one file. */
  public static byte[] file(FileStatus status) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    write(new DataOutputStream(bytes), status.getPath().toString(), status);
    return bytes.toByteArray();
  }

  /** Returns what is in a folder, by the names in the folder. */
  public static byte[] folder(FileSystem system, Path path) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream page = new DataOutputStream(bytes);
    for (FileStatus status : system.listStatus(path)) {
      write(page, status.getPath().getName(), status);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream page, String text, FileStatus status)
      throws IOException {
    String tag = status instanceof EtagSource ? ((EtagSource) status).getEtag() : null;
    write(page, text);
    page.writeLong(status.getLen());
    page.writeLong(status.getModificationTime());
    write(page, tag == null ? "" : tag);
    page.writeBoolean(status.isDirectory());
  }

  private static void write(DataOutputStream page, String text) throws IOException {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    page.writeInt(encoded.length);
    page.write(encoded);
  }
}

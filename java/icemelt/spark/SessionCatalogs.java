package icemelt.spark;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.spark.SparkCatalog;
import org.apache.spark.sql.classic.SparkSession;

/** The private Iceberg catalogs of a Spark session, opened in one request of Python's. */
public final class SessionCatalogs {
  private static final String LIGHT_FILES =
      "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem";
  // Spark's own file system is kept under the same name, with its own settings
  private static final String UNSHARED = "fs.file.impl.disable.cache";

  private SessionCatalogs() {}

  /**
   * Opens a catalog of tables, whose files are real ones.
   *
   * <p>Iceberg's {@code InMemoryCatalog} keeps files in memory, too. Its file access is replaced.
   *
   * @param settings the settings of the catalogs, a JSON object
   * @param prefixes how the names of Hadoop's settings begin that files need, a JSON array; an empty
   *     one for all of them
   * @param umask the mode mask of local files, as Hadoop writes it; null for the process's own
   * @param isLight whether local files are written without a process for each, where that class is
   *     there (ADR 8): it follows no link to a folder that it lists, and only a user has such folders
   * @return the catalog, its pointers (a map from an identifier to a metadata file), and its files
   */
  public static List<Object> open(
      SparkSession session,
      String name,
      String settings,
      String prefixes,
      String umask,
      boolean isLight)
      throws Exception {
    SessionSettings.set(session, settings);
    SparkSession.setActiveSession(session);
    SparkCatalog plugin = (SparkCatalog) session.sessionState().catalogManager().catalog(name);
    InMemoryCatalog catalog = (InMemoryCatalog) plugin.icebergCatalog();
    Configuration hadoop = SessionSettings.hadoop(session, prefixes);
    if (isLight) {
      useLightFiles(hadoop);
    }
    if (umask != null) {
      hadoop.set("fs.permissions.umask-mode", umask);
      hadoop.set(UNSHARED, "true");
    }
    LakeFiles files = new LakeFiles();
    files.setConf(hadoop);
    files.initialize(Map.of());
    hidden("io").set(catalog, files);
    return List.of(catalog, hidden("tables").get(catalog), files);
  }

  private static void useLightFiles(Configuration hadoop) {
    try {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      hadoop.setClassLoader(Class.forName(LIGHT_FILES, true, loader).getClassLoader());
    } catch (ClassNotFoundException absent) {
      return;
    }
    hadoop.set("fs.file.impl", LIGHT_FILES);
    hadoop.set(UNSHARED, "true");
  }

  private static Field hidden(String name) throws NoSuchFieldException {
    Field field = InMemoryCatalog.class.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}

package icemelt.spark;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.python.PythonGatewayServer;
import org.apache.spark.sql.classic.SparkSession;

/**
 * The main class of Java. Spark starts while Python loads its modules, and while PySpark's own
 * server waits for Python to connect.
 */
public final class Start {
  private static final CompletableFuture<JavaSparkContext> CONTEXT = new CompletableFuture<>();

  private Start() {}

  /**
   * Reads the settings from standard input, starts Spark in a thread, and runs PySpark's server.
   * The settings are two lists of names and values: those that any user of the machine may read,
   * which become system properties as Spark's own program makes them, and the others.
   */
  public static void main(String[] arguments) throws IOException, ClassNotFoundException {
    DataInputStream input = new DataInputStream(System.in);
    Map<String, String> open = readSettings(input);
    Map<String, String> secret = readSettings(input);
    open.forEach(System::setProperty);
    // the first class that logs chooses the level, and this one chooses a quiet one
    Class.forName(PythonGatewayServer.class.getName() + "$");
    SparkConf conf = new SparkConf(false);
    open.forEach(conf::set);
    secret.forEach(conf::set);
    Thread thread = new Thread(() -> begin(conf), "icemelt-start");
    thread.setDaemon(true);
    thread.start();
    try {
      PythonGatewayServer.main(arguments);
    } finally {
      // py4j's threads would keep Java from ending
      System.exit(1);
    }
  }

  /** Returns Spark's context as soon as it has started, or throws what kept it from starting. */
  public static JavaSparkContext context() throws Throwable {
    try {
      return CONTEXT.join();
    } catch (CompletionException error) {
      throw error.getCause();
    }
  }

  private static void begin(SparkConf conf) {
    try {
      JavaSparkContext context = new JavaSparkContext(conf);
      SparkSession session = open(context, conf.getBoolean("spark.icemelt.ml", true));
      // PySpark takes it for its own
      SparkSession.setDefaultSession(session);
      CONTEXT.complete(context);
      warmUp(session);
    } catch (Throwable error) {
      // where the context is there, whoever needs what failed is told
      CONTEXT.completeExceptionally(error);
    }
  }

  private static SparkSession open(JavaSparkContext context, boolean withMl) {
    Thread thread = Thread.currentThread();
    ClassLoader all = thread.getContextClassLoader();
    thread.setContextClassLoader(withMl ? all : new WithoutMl(all));
    try {
      return new SparkSession(context.sc(), new HashMap<>());
    } finally {
      thread.setContextClassLoader(all);
    }
  }

  /** Loads what the first session and its first query need, while Python loads its modules. */
  private static void warmUp(SparkSession session) throws Exception {
    SparkSession own = session.newSession();
    Functions.register(own);
    PlanOutline.of(own.sessionState().sqlParser(), "[\"SELECT 1 AS a\"]", true);
    LocalRows.read(own.sql("SELECT 1 AS a"), 1, 1 << 10);
  }

  private static Map<String, String> readSettings(DataInputStream input) throws IOException {
    Map<String, String> settings = new LinkedHashMap<>();
    for (int left = input.readInt(); left > 0; left--) {
      String name = readText(input);
      settings.put(name, readText(input));
    }
    return settings;
  }

  private static String readText(DataInputStream input) throws IOException {
    byte[] bytes = new byte[input.readInt()];
    input.readFully(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * Finds all that its parent finds, but the extensions of Spark's library for machine learning,
   * whose functions are made by Scala's reflection.
   */
  private static final class WithoutMl extends ClassLoader {
    private static final String EXTENSIONS =
        "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider";
    private static final String JAR = "/spark-mllib";

    WithoutMl(ClassLoader parent) {
      super(parent);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      Enumeration<URL> all = super.getResources(name);
      if (!name.equals(EXTENSIONS)) {
        return all;
      }
      return Collections.enumeration(
          Collections.list(all).stream()
              .filter(place -> !place.toString().contains(JAR))
              .toList());
    }
  }
}

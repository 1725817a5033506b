package icemelt.spark;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Iceberg's builders of readers and writers, of which only {@code build} is another one. */
final class Builders {
  /** Builds with a builder that was given all that was said to the builder in its place. */
  @FunctionalInterface
  interface Build<B> {
    Object build(B inner) throws IOException;
  }

  private Builders() {}

  /**
   * Returns a builder that says everything to {@code inner}, and builds by {@code build}. What
   * Iceberg's next version adds to its builders is said to {@code inner}, too.
   */
  static <B> B replaceBuild(Class<? super B> kind, B inner, Build<B> build) {
    InvocationHandler say =
        (proxy, method, arguments) -> {
          if (method.getName().equals("build")) {
            return build.build(inner);
          }
          try {
            Object answer = method.invoke(inner, arguments);
            return answer == inner ? proxy : answer;
          } catch (InvocationTargetException error) {
            throw error.getCause();
          }
        };
    Class<?>[] kinds = {kind};
    @SuppressWarnings("unchecked")
    B builder = (B) Proxy.newProxyInstance(Builders.class.getClassLoader(), kinds, say);
    return builder;
  }
}

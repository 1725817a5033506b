package icemelt.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;

/** Data frames, in one request of Python's. */
public final class Frames {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Frames() {}

  /** Returns the values of expressions over the rows of a data frame, given as a JSON array. */
  public static Dataset<Row> select(Dataset<Row> rows, String expressions)
      throws JsonProcessingException {
    return rows.selectExpr(JSON.readValue(expressions, String[].class));
  }
}

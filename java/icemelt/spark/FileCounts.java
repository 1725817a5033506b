package icemelt.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpectsInputTypes;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Counts the rows of each file: {@code icemelt_file_counts(file STRING, refused BOOLEAN)}. An
 * observer of rows can not group, and needs one aggregate that tells files apart.
 *
 * <p>The result is an {@code ARRAY<STRUCT<file STRING, parsed BIGINT, errors BIGINT>>} with an
 * entry for each file that has a row: all its rows, and those that are refused.
 */
public final class FileCounts extends TypedImperativeAggregate<FileCounts.Counts>
    implements ExpectsInputTypes, Serializable {
  private static final long serialVersionUID = 1;

  private static final String NAME = "icemelt_file_counts";

  private static final DataType ENTRIES =
      new ArrayType(
          DataTypes.createStructType(
              new StructField[] {
                DataTypes.createStructField("file", DataTypes.StringType, false),
                DataTypes.createStructField("parsed", DataTypes.LongType, false),
                DataTypes.createStructField("errors", DataTypes.LongType, false),
              }),
          false);

  private final Expression file;
  private final Expression refused;
  private final int mutableOffset;
  private final int inputOffset;

  private FileCounts(Expression file, Expression refused, int mutableOffset, int inputOffset) {
    this.file = file;
    this.refused = refused;
    this.mutableOffset = mutableOffset;
    this.inputOffset = inputOffset;
  }

  /** Returns a call with two arguments, the name of a row's file and whether it is refused. */
  static FileCounts call(Seq<Expression> arguments) {
    if (arguments.size() != 2) {
      throw new IllegalArgumentException(NAME + " takes a file and whether its row is refused");
    }
    return new FileCounts(arguments.apply(0), arguments.apply(1), 0, 0);
  }

  /** The counts by file. The rows of a file come one after the other: the last file is at hand. */
  public static final class Counts {
    private final Map<UTF8String, long[]> byFile = new LinkedHashMap<>();
    private UTF8String last;
    private long[] ofLast;

    private void add(UTF8String file, long parsed, long errors) {
      if (!file.equals(last)) {
        // the bytes of a row's values are used again for the next row
        last = file.copy();
        ofLast = byFile.computeIfAbsent(last, name -> new long[2]);
      }
      ofLast[0] += parsed;
      ofLast[1] += errors;
    }
  }

  @Override
  public Counts createAggregationBuffer() {
    return new Counts();
  }

  @Override
  public Counts update(Counts counts, InternalRow row) {
    UTF8String name = (UTF8String) file.eval(row);
    if (name != null) {
      counts.add(name, 1, Boolean.TRUE.equals(refused.eval(row)) ? 1 : 0);
    }
    return counts;
  }

  @Override
  public Counts merge(Counts counts, Counts others) {
    others.byFile.forEach((name, of) -> counts.add(name, of[0], of[1]));
    return counts;
  }

  @Override
  public Object eval(Counts counts) {
    return new GenericArrayData(
        counts.byFile.entrySet().stream()
            .map(
                entry ->
                    new GenericInternalRow(
                        new Object[] {entry.getKey(), entry.getValue()[0], entry.getValue()[1]}))
            .toArray());
  }

  @Override
  public byte[] serialize(Counts counts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      for (Map.Entry<UTF8String, long[]> entry : counts.byFile.entrySet()) {
        byte[] name = entry.getKey().getBytes();
        out.writeInt(name.length);
        out.write(name);
        out.writeLong(entry.getValue()[0]);
        out.writeLong(entry.getValue()[1]);
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return bytes.toByteArray();
  }

  @Override
  public Counts deserialize(byte[] bytes) {
    Counts counts = new Counts();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      while (in.available() > 0) {
        UTF8String name = UTF8String.fromBytes(in.readNBytes(in.readInt()));
        counts.add(name, in.readLong(), in.readLong());
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return counts;
  }

  @Override
  public Seq<AbstractDataType> inputTypes() {
    return CollectionConverters.asScala(
            java.util.List.<AbstractDataType>of(DataTypes.StringType, DataTypes.BooleanType))
        .toSeq();
  }

  @Override
  public TypeCheckResult checkInputDataTypes() {
    return ExpectsInputTypes.super.checkInputDataTypes();
  }

  @Override
  public DataType dataType() {
    return ENTRIES;
  }

  @Override
  public boolean nullable() {
    return false;
  }

  @Override
  public String prettyName() {
    return NAME;
  }

  @Override
  public int mutableAggBufferOffset() {
    return mutableOffset;
  }

  @Override
  public int inputAggBufferOffset() {
    return inputOffset;
  }

  @Override
  public ImperativeAggregate withNewMutableAggBufferOffset(int offset) {
    return new FileCounts(file, refused, offset, inputOffset);
  }

  @Override
  public ImperativeAggregate withNewInputAggBufferOffset(int offset) {
    return new FileCounts(file, refused, mutableOffset, offset);
  }

  @Override
  public Seq<Expression> children() {
    return CollectionConverters.asScala(java.util.List.of(file, refused)).toSeq();
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
    return new FileCounts(children.apply(0), children.apply(1), mutableOffset, inputOffset);
  }

  @Override
  public int productArity() {
    return 4;
  }

  @Override
  public Object productElement(int index) {
    return switch (index) {
      case 0 -> file;
      case 1 -> refused;
      case 2 -> mutableOffset;
      case 3 -> inputOffset;
      default -> throw new IndexOutOfBoundsException(index);
    };
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof FileCounts;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileCounts that
        && file.equals(that.file)
        && refused.equals(that.refused)
        && mutableOffset == that.mutableOffset
        && inputOffset == that.inputOffset;
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(file, refused, mutableOffset, inputOffset);
  }
}

package icemelt.spark;

import java.nio.ByteBuffer;
import org.apache.spark.unsafe.types.VariantVal;

/** Variants as bytes, which can be compared and grouped; none is called with a NULL. */
public final class VariantBytes {
  private VariantBytes() {}

  /** Returns the bytes of a variant: the length of its metadata, the metadata, and the value. */
  public static byte[] encode(VariantVal variant) {
    byte[] metadata = variant.getMetadata();
    byte[] value = variant.getValue();
    return ByteBuffer.allocate(Integer.BYTES + metadata.length + value.length)
        .putInt(metadata.length)
        .put(metadata)
        .put(value)
        .array();
  }

  /** Returns the variant that bytes were made of. */
  public static VariantVal decode(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int length = bytes.length < Integer.BYTES ? -1 : buffer.getInt();
    if (length < 0 || length > buffer.remaining()) {
      throw new IllegalArgumentException("The bytes are no variant.");
    }
    byte[] metadata = new byte[length];
    buffer.get(metadata);
    byte[] value = new byte[buffer.remaining()];
    buffer.get(value);
    return new VariantVal(value, metadata);
  }
}

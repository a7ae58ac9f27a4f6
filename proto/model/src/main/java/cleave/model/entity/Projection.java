package cleave.model.entity;

import cleave.model.Utf8;
import java.util.List;

/** The properties that a query asks for, as bytes, to be applied to many stored entities. Immutable. */
public final class Projection {
    private final byte[][] names;

    private Projection(byte[][] names) {
        this.names = names;
    }

    /** No names at all mean all properties. */
    public static Projection of(List<String> names) {
        byte[][] encoded = new byte[names.size()][];
        for (int i = 0; i < encoded.length; i++) {
            encoded[i] = Utf8.encode(names.get(i));
        }
        return new Projection(encoded);
    }

    /** The entity cut to these properties; the very array given, if these are all. */
    public byte[] apply(byte[] stored) {
        return names.length == 0 ? stored : EntityCodec.select(stored, names);
    }
}

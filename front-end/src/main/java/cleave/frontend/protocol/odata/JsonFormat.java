package cleave.frontend.protocol.odata;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;

/**
 * The configuration of the JSON library. Thread-safe. Numbers are written by the library's own fast writer, whose output does not depend
 * on the JDK. Names from clients are not interned, because interned names would never leave the heap.
 */
final class JsonFormat {
    /** A body is an object of plain values; ignored members may nest this deep. */
    private static final int DEPTH_MAX = 32;

    private static final int NUMBER_LENGTH_MAX = 1000;
    private static final int TEXT_LENGTH_MAX = 8 << 20;

    static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .disable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxNumberLength(NUMBER_LENGTH_MAX)
                    .maxStringLength(TEXT_LENGTH_MAX)
                    .maxNameLength(TEXT_LENGTH_MAX)
                    .build())
            .build();

    private JsonFormat() {}

    /** A parser of a body in UTF-8. The library would also find out whether it is UTF-16 or UTF-32, which the protocol does not have. */
    static JsonParser parser(Body body) throws IOException {
        if (!mayBeUtf8(body)) {
            throw Body.malformed("The body is not UTF-8.");
        }
        return FACTORY.createParser(body.array(), body.offset(), body.length());
    }

    /** False if the first bytes are those of a document in UTF-16 or UTF-32: zeros, or a byte order mark of one of them. */
    private static boolean mayBeUtf8(Body body) {
        for (int i = 0; i < Math.min(4, body.length()); i++) {
            byte first = body.array()[body.offset() + i];
            if (first == 0 || first == (byte) 0xfe || first == (byte) 0xff) {
                return false;
            }
        }
        return true;
    }
}

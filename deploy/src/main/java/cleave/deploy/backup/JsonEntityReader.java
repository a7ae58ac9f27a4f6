package cleave.deploy.backup;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/** Reads entities from lines of JSON. Confined to one thread. */
final class JsonEntityReader implements EntityReader {
    private final Reader in;
    private long line;

    JsonEntityReader(Reader in) {
        this.in = in;
    }

    @Override
    public @Nullable Entry next() throws IOException, BadEntity {
        while (true) {
            line++;
            String text;
            try {
                text = EntityLines.next(in);
            } catch (CharacterCodingException malformed) {
                throw new BadEntity(line, "it is no UTF-8");
            } catch (EntityLines.TooLong tooLong) {
                throw new BadEntity(line, String.valueOf(tooLong.getMessage()));
            }
            if (text == null) {
                return null;
            }
            if (!text.isBlank()) {
                return new Entry(line, text);
            }
        }
    }
}

package cleave.deploy.backup;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the entities of a file in order. Confined to one thread. */
interface EntityReader {
    /**
     * One entity.
     *
     * @param line where it begins, counted from 1
     * @param json OData JSON with types, in one line
     */
    record Entry(long line, String json) {}

    /** A line is not an entity; everything before it was returned. */
    final class BadEntity extends Exception {
        private static final long serialVersionUID = 1;

        private final long line;

        BadEntity(long line, String why) {
            super(why);
            this.line = line;
        }

        long line() {
            return line;
        }
    }

    /** The next entity; null at the end. */
    @Nullable
    Entry next() throws IOException, BadEntity;
}

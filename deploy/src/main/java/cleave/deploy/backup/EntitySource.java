package cleave.deploy.backup;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The entities of a file, one after the other. Confined to one thread. */
interface EntitySource {
    /**
     * One entity.
     *
     * @param line of the file on which it begins, from 1 on
     * @param json OData's JSON with types, in one line
     */
    record Entry(long line, String json) {}

    /** What stands in a line is no entity; everything before it was returned. */
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

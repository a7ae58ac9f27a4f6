package cleave.master.state;

import cleave.model.Row;
import java.util.Collection;

/** Maps for tests of other packages. */
public final class Maps {
    private Maps() {}

    /** The rows must tile the key space. */
    public static Rows of(Collection<Row> rows) {
        return Rows.of(rows);
    }
}

package cleave.server.policy;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.FilterEvaluator;
import cleave.model.entity.Projection;
import cleave.wire.ScanEnd;
import org.jspecify.annotations.Nullable;

/**
 * A scan, cut to one range. Immutable.
 *
 * @param interval the keys to examine here
 * @param endsInside true if the request ends here, false if the range ends before it
 * @param filter null: every entity matches
 * @param limit entities to return at most
 * @param bytesMax where the answer stops
 * @param endAtBytesMax how such an answer ends: CUT where the request set that limit, else STOPPED
 */
public record ScanSpec(
        KeyRange interval,
        boolean endsInside,
        @Nullable FilterEvaluator filter,
        Projection projection,
        int limit,
        long bytesMax,
        ScanEnd endAtBytesMax) {
    /** The end of the examination if nothing stops it; null is the end of the key space. */
    @Nullable
    Key end() {
        return interval.end();
    }
}

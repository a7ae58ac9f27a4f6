package cleave.dfs.bookkeeper;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.bookkeeper.client.RackawareEnsemblePlacementPolicy;
import org.apache.bookkeeper.net.BookieId;

/**
 * Where the copies of an entry go: to bookies of different zones, as far as there are zones. BookKeeper's own policy for racks does it, where a
 * zone is a rack; with bookies of one zone, or of none that is known, any will do. Thread-safe; BookKeeper makes it by its setting {@code
 * ensemblePlacementPolicy}.
 *
 * <p>A bookie's zone is a part of its id, as its disk is what is in a zone: {@code NAME.zone.ZONE-RANDOM} ({@code cleave engine bookie} makes
 * it). So everyone knows it who knows the bookie, without a table that someone would have to keep.
 */
public final class ZonePlacement extends RackawareEnsemblePlacementPolicy {
    private static final Pattern ZONED = Pattern.compile(".*\\.zone\\.(?<zone>[A-Za-z0-9._-]+)-[0-9a-f]{8}");

    /** Empty if the id has none. */
    static String zoneOf(String id) {
        Matcher zoned = ZONED.matcher(id);
        return zoned.matches() ? zoned.group("zone") : "";
    }

    @Override
    protected String resolveNetworkLocation(BookieId bookie) {
        String zone = zoneOf(bookie.getId());
        return zone.isEmpty() ? getDefaultRack() : "/" + zone;
    }
}

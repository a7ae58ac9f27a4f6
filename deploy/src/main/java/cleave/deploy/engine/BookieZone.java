package cleave.deploy.engine;

import cleave.runtime.settings.Settings.BadSetting;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The zone of a bookie's disk, which is a part of its id: {@code NAME.zone.ZONE-RANDOM}. Those that place copies ({@code
 * cleave.dfs.bookkeeper.ZonePlacement}) take it from there. Stateless.
 */
final class BookieZone {
    /** The class that places copies; it is not on the class path of a process without BookKeeper. */
    static final String PLACEMENT = "cleave.dfs.bookkeeper.ZonePlacement";

    /** As the values of labels in Kubernetes. */
    private static final Pattern ZONE = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

    private static final Pattern ZONED = Pattern.compile(".*\\.zone\\.(?<zone>[A-Za-z0-9._-]+)-[0-9a-f]{8}");

    private BookieZone() {}

    /** BadSetting if no zone can be called so. Empty if it is not known. */
    static String check(String zone) {
        if (!zone.isEmpty() && !ZONE.matcher(zone).matches()) {
            throw new BadSetting(
                    "setting zone is '" + zone + "', but the name of a zone has up to 63 letters, digits and . _ -,"
                            + " and begins and ends with a letter or digit");
        }
        return zone;
    }

    /** With what the id of a bookie begins. */
    static String name(String bookie, String zone) {
        return zone.isEmpty() ? bookie : bookie + ".zone." + zone;
    }

    /** The zone in an id. */
    static Optional<String> of(String id) {
        Matcher zoned = ZONED.matcher(id);
        return zoned.matches() ? Optional.of(zoned.group("zone")) : Optional.empty();
    }
}

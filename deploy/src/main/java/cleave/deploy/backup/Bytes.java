package cleave.deploy.backup;

import java.util.Locale;

/** Amounts of data in human-readable units. Stateless. */
final class Bytes {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Bytes() {}

    static String text(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1024) {
            amount /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", amount, UNITS[unit]);
    }
}

package cleave.server.settings;

import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;

/**
 * The pace at which a server reads its ranges' data at rest, to find damage while another copy is good. Immutable.
 *
 * @param bytesPerSecond of both copies together, on average; 0: nothing is read
 * @param everyNanos from the beginning of one round to that of the next, unless a round takes longer
 */
public record ScrubSettings(long bytesPerSecond, long everyNanos) {
    public static final ScrubSettings OFF = new ScrubSettings(0, 1);

    public ScrubSettings {
        if (everyNanos <= 0) {
            throw new BadSetting("setting server.scrub-every must be above 0; server.scrub-rate=0 turns the scrub off");
        }
    }

    public static ScrubSettings from(Settings settings) {
        return new ScrubSettings(
                settings.bytes("server.scrub-rate", "1MiB"), settings.nanos("server.scrub-every", "24h"));
    }
}

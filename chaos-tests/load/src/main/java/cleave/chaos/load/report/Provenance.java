package cleave.chaos.load.report;

import cleave.deploy.Version;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The source of a load, so that a reader of its report knows what the figures are of, and can repeat it. Immutable.
 *
 * @param machine version of Cleave, Java, system and processors where the load was sent from
 * @param machineLoad the load average there before the load, which tells how much else was done there; -1 if the system does not say
 * @param command as it was typed, without credentials: no option takes one, but a report is handed on
 * @param seed of all choices
 */
public record Provenance(String machine, double machineLoad, String command, String seed) {
    private static final Pattern CREDENTIAL = Pattern.compile("((?i:[?&]sig=|AccountKey=|//(?=[^/]*@)))[^&;@/]*");

    /** This process, now. */
    public static Provenance here(List<String> arguments, long seed) {
        int processors = Runtime.getRuntime().availableProcessors();
        return new Provenance(
                "cleave " + Version.built() + ", Java " + Runtime.version() + " (" + System.getProperty("java.vm.name")
                        + "), "
                        + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", " + processors
                        + (processors == 1 ? " processor" : " processors"),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                "cleave "
                        + String.join(
                                " ", arguments.stream().map(Provenance::quoted).toList()),
                Long.toString(seed));
    }

    private static String quoted(String argument) {
        String shown = CREDENTIAL.matcher(argument).replaceAll("$1...");
        return shown.matches("[\\w@%+=:,./-]+") ? shown : "'" + shown.replace("'", "'\\''") + "'";
    }
}

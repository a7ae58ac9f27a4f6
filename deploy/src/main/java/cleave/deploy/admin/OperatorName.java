package cleave.deploy.admin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Who the operator is by what the environment of the command says: {@code alice@laptop}. Nobody verifies it; it tells the people of one team
 * apart, where they share a certificate or a machine. Stateless.
 */
public final class OperatorName {
    /** Says who the operator is, in place of the user and the machine. */
    public static final String VARIABLE = "CLEAVE_OPERATOR";

    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

    private OperatorName() {}

    public static String ofThisProcess() {
        return of(System.getenv(), System.getProperty("user.name", ""), host(System.getenv()));
    }

    /** With sudo, the user who called it counts. */
    static String of(Map<String, String> environment, String user, String host) {
        String said = environment.getOrDefault(VARIABLE, "").strip();
        String caller = environment.getOrDefault("SUDO_USER", "");
        return said.isEmpty() ? (caller.isEmpty() ? user : caller + " as " + user) + "@" + host : said;
    }

    /** Without a look-up, which may hang in an incident. */
    private static String host(Map<String, String> environment) {
        try {
            return Files.readString(HOST, StandardCharsets.UTF_8).strip();
        } catch (IOException elsewhere) {
            return environment.getOrDefault("HOSTNAME", environment.getOrDefault("COMPUTERNAME", "unknown"));
        }
    }
}

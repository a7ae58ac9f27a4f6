package cleave.deploy.role;

import cleave.rpc.Transport;
import cleave.settings.Settings;
import cleave.settings.Settings.BadSetting;
import java.io.IOException;
import java.nio.file.Path;

/** How a process talks to those of other roles, by the setting {@code tls}: a folder of certificates, or nothing. */
public final class Peers {
    /** The one setting: mutual TLS with the certificates in a folder. */
    public static final String TLS = "tls";

    private Peers() {}

    /** BadSetting if the folder holds no fit certificates. */
    static Transport transport(Settings settings) {
        String folder = settings.text(TLS, "");
        return folder.isEmpty() ? Transport.PLAIN : transport(Path.of(folder));
    }

    private static Transport transport(Path folder) {
        try {
            return Transport.mutualTls(folder);
        } catch (IOException wrong) {
            throw new BadSetting("setting tls is '" + folder + "', but " + wrong.getMessage());
        }
    }
}

package cleave.deploy.role;

import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import cleave.runtime.tls.PeerRole;
import java.io.IOException;
import java.nio.file.Path;

/** The transport to processes of other roles: TLS by the setting {@code tls}, a folder of certificates, or in the clear. */
public final class Peers {
    /** Mutual TLS with the certificates in a folder. */
    public static final String TLS = "tls";

    /** Permits to listen in the clear on more than this machine. */
    public static final String INSECURE_NETWORK = "insecure-network";

    private Peers() {}

    /** BadSetting if the folder holds no certificate that is fit for the role. */
    static Transport transport(Settings settings, PeerRole role) {
        String folder = settings.text(TLS, "");
        boolean exposes = settings.flag(INSECURE_NETWORK, false);
        if (exposes && !folder.isEmpty()) {
            throw new BadSetting("settings tls and insecure-network are both given, but only one of them can be meant");
        }
        return folder.isEmpty()
                ? exposes ? Transport.INSECURE_NETWORK : Transport.PLAIN
                : transport(Path.of(folder), role);
    }

    private static Transport transport(Path folder, PeerRole role) {
        try {
            return Transport.mutualTls(folder, role);
        } catch (IOException wrong) {
            throw new BadSetting("setting tls is '" + folder + "', but " + wrong.getMessage());
        }
    }
}

package cleave.chaos.bench.peer;

import cleave.deploy.CommandFailure;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The stores that can be started. */
public enum PeerKind {
    CASSANDRA("Cassandra"),
    POSTGRES("PostgreSQL");

    private final String title;

    PeerKind(String title) {
        this.title = title;
    }

    /** Its name for people. */
    public String title() {
        return title;
    }

    /** Its name on command lines, and that of the folder of its libraries. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The one of this name; CommandFailure if there is none. */
    public static PeerKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id().equals(id.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("there is no peer '" + id + "'; the peers are "
                        + Arrays.stream(values()).map(PeerKind::id).collect(Collectors.joining(", "))));
    }
}

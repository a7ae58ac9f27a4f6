package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** One process of a local cluster: {@code server 2}. Immutable. */
public record NodeId(Role role, int number) {
    /** The roles, in the order in which a cluster is listed and started. */
    public enum Role {
        ZOOKEEPER("zookeeper"),
        BOOKIE("bookie"),
        AUTORECOVERY("autorecovery"),
        DFS("dfs"),
        MASTER("master"),
        SERVER("server"),
        FRONT_END("front-end"),
        /** The page that shows the cluster. It serves nobody else, and nothing needs it. */
        BOARD("board");

        /** Processes that are not Cleave's own: together they are the DFS, in place of {@link #DFS}. */
        static final Set<Role> BOOKKEEPER = Collections.unmodifiableSet(EnumSet.of(ZOOKEEPER, BOOKIE, AUTORECOVERY));

        private final String word;

        Role(String word) {
            this.word = word;
        }

        /** The purposes of the ports of each of its processes. */
        List<String> purposes() {
            return switch (this) {
                case ZOOKEEPER -> List.of("port", "quorum", "election");
                case BOOKIE, BOARD -> List.of("port");
                case AUTORECOVERY -> List.of();
                case MASTER -> List.of("port", "admin", "raft");
                case DFS, SERVER, FRONT_END -> List.of("port", "admin");
            };
        }

        /** The roles whose processes exchange calls with its own, whichever side begins; none for those of BookKeeper, which call nobody by gRPC. */
        Set<Role> partners() {
            return switch (this) {
                case MASTER -> EnumSet.of(DFS, MASTER, SERVER, FRONT_END);
                case SERVER -> EnumSet.of(DFS, MASTER, FRONT_END);
                case FRONT_END -> EnumSet.of(MASTER, SERVER);
                case DFS -> EnumSet.of(MASTER, SERVER);
                case ZOOKEEPER, BOOKIE, AUTORECOVERY, BOARD -> EnumSet.noneOf(Role.class);
            };
        }

        public boolean isOfBookKeeper() {
            return BOOKKEEPER.contains(this);
        }

        /** Whether its processes are Cleave's own roles, which are configured by files of settings. */
        boolean hasSettings() {
            return !isOfBookKeeper() && this != BOARD;
        }

        /** Its name on the command line. */
        public String word() {
            return word;
        }

        static List<String> words() {
            return Stream.of(values()).map(Role::word).toList();
        }

        static Role of(String word) {
            for (Role role : values()) {
                if (role.word.equals(word)) {
                    return role;
                }
            }
            throw CommandFailure.usage("'" + word + "' is not a role; the roles are " + String.join(", ", words()));
        }
    }

    /** For example {@code server-2}: the name of its folder, and its id among its like. */
    @Override
    public String toString() {
        return role.word() + "-" + number;
    }
}

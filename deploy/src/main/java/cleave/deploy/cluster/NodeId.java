package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;

/** One process of a local cluster: {@code server 2}. Immutable. */
public record NodeId(Role role, int number) {
    /** The roles, in the order in which a cluster is listed. */
    public enum Role {
        DFS("dfs"),
        MASTER("master"),
        SERVER("server"),
        FRONT_END("front-end");

        private final String word;

        Role(String word) {
            this.word = word;
        }

        /** As in the command line. */
        public String word() {
            return word;
        }

        static Role of(String word) {
            for (Role role : values()) {
                if (role.word.equals(word)) {
                    return role;
                }
            }
            throw CommandFailure.usage("'" + word + "' is not a role; the roles are dfs, master, server and front-end");
        }
    }

    /** For example {@code server-2}: the name of its folder, and its id among its like. */
    @Override
    public String toString() {
        return role.word() + "-" + number;
    }
}

package cleave.board.frame;

import java.util.List;

/** The processes of a cluster as a frame tells of them, and the handoffs under way. Immutable. */
public record Parties(
        List<Server> servers,
        List<Master> masters,
        String leader,
        long term,
        List<FrontEnd> frontEnds,
        List<DfsPart> dfs,
        List<Handoff> handoffs) {
    public static final Parties NONE = new Parties(List.of(), List.of(), "", 0, List.of(), List.of(), List.of());

    public Parties {
        servers = List.copyOf(servers);
        masters = List.copyOf(masters);
        frontEnds = List.copyOf(frontEnds);
        dfs = List.copyOf(dfs);
        handoffs = List.copyOf(handoffs);
    }

    /**
     * A partition server.
     *
     * @param state live, draining, aside (it gets no more ranges), silent, dead
     * @param entities a second
     * @param cpu thousandths of a core
     * @param free bytes free on the disk of its stores; -1: not known
     * @param reserve bytes free below which it gets no more ranges
     * @param store bytes of its stores
     * @param silent milliseconds since it was heard
     * @param clock milliseconds that its clock is ahead of the leader's
     */
    public record Server(
            String id,
            long number,
            String address,
            String admin,
            String state,
            int ranges,
            long entities,
            long cpu,
            long free,
            long reserve,
            long store,
            long silent,
            long clock) {}

    /** @param behind entries of the log that it lacks; -1: not known */
    public record Master(String id, String address, String role, long behind) {}

    /**
     * A front end, as its metrics show it.
     *
     * @param rate requests a second
     * @param errors those answered with 5xx, a second
     * @param p50 median time of a request, in microseconds
     * @param p99 its 99th percentile, in microseconds
     */
    public record FrontEnd(String id, String admin, boolean up, double rate, double errors, long p50, long p99) {}

    /**
     * A node of the DFS or a bookie, as its metrics show it.
     *
     * @param kind node, bookie
     * @param state what is wrong with it, in words; empty: nothing that it tells
     * @param free bytes free on its disk; -1: not known
     * @param appended bytes a second; -1: not known
     */
    public record DfsPart(String id, String kind, boolean up, String state, long free, long appended) {}

    /**
     * A handoff under way.
     *
     * @param ms since it began
     * @param steps those that are done
     */
    public record Handoff(
            String id,
            String kind,
            List<String> ranges,
            String from,
            List<String> to,
            String step,
            long ms,
            String asker,
            String reason,
            List<Step> steps) {
        public Handoff {
            ranges = List.copyOf(ranges);
            to = List.copyOf(to);
            steps = List.copyOf(steps);
        }
    }

    public record Step(String step, long ms) {}
}

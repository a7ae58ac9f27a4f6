package cleave.master.core;

import cleave.master.events.Events;
import cleave.master.handoff.HandoffCoordinator;
import cleave.master.replication.Replication;
import cleave.master.servers.Clocks;
import cleave.master.servers.ReportedLoad;
import cleave.master.servers.Session;
import cleave.master.servers.Sessions;
import cleave.master.state.AnswerCodec;
import cleave.master.state.MapChanges;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterState;
import cleave.master.tables.ListedTables;
import cleave.master.takeover.Openings;
import cleave.model.Incarnation;
import cleave.model.KnownMasters;
import cleave.model.MapChange;
import cleave.model.Row;
import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.ServerClock;
import cleave.wire.ServerSpace;
import cleave.wire.Space;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import cleave.wire.WhyNot;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A master's status in pieces, all of one version of the map. Not thread-safe: {@link StatusFeed} owns it. It contains
 * the map only on a leader whose no-op was answered, or one that need not prove that it leads.
 */
final class StatusReport implements Iterator<StatusReply> {
    private static final long NANOS_PER_TICK = 100;

    private final StatusReply.Builder first;
    private final @Nullable MasterState state;
    private final @Nullable MapChange map;
    private final Heard heard;
    private final ListedTables.Listing listing;
    private final boolean withLoads;
    private final boolean withReasons;
    /** The ids of tables of which nothing is known. */
    private final Set<Long> unnamed = new HashSet<>();

    private boolean begun;

    /** A piece with loads ends after so many bytes of rows: the load of one range may be a hundred times as long as its row. */
    private static final int LOADED_PIECE_BYTES = 4 << 10;

    /**
     * The soft state of the leader.
     *
     * @param why why the last tick of the balancer did nothing with a range
     * @param nanos now, on the loop's clock
     * @param ticks the same, on the leader's wall clock
     */
    record Heard(
            Sessions sessions,
            Openings openings,
            HandoffCoordinator handoffs,
            ListedTables tables,
            Function<Row, List<cleave.master.policy.WhyNot>> why,
            long dropsMark,
            long term,
            long nanos,
            long ticks) {}

    /** @param proof the answer to the leader's no-op, or what stands for it */
    StatusReport(
            String self,
            StatusRequest request,
            ListedTables.Listing listing,
            MasterAnswer proof,
            Replication replication,
            Heard heard) {
        this.listing = listing;
        this.heard = heard;
        this.withLoads = request.getLoads();
        this.withReasons = request.getWhy();
        first = StatusReply.newBuilder()
                .setStatus(AnswerCodec.status(proof))
                .setSelf(self)
                .setCluster(replication.cluster())
                .setLeader(replication.leaderAddress())
                .addAllPeers(replication.peers());
        if (proof.isOk()) {
            MasterState proved = replication.state();
            state = proved;
            KnownMasters masters = replication.masters();
            map = map(request, listing, proved, masters);
            first.setTable(listing.table()).setNamesMissing(listing.problem());
            proved.drops().values().forEach(drop -> first.addDrops(drop.toWire()));
            first.setNextTable(proved.nextTable());
            first.setDfs(proved.dfs());
            first.setDropsMark(heard.dropsMark());
            first.setTerm(heard.term());
            heard.sessions().all().forEach(this::addServer);
            addClocks(heard.sessions().clocks());
        } else {
            state = null;
            map = null;
        }
    }

    private static MapChange map(
            StatusRequest request, ListedTables.Listing listing, MasterState state, KnownMasters masters) {
        if (request.getRangesCount() > 0) {
            List<Row> rows = request.getRangesList().stream()
                    .distinct()
                    .map(id -> state.rows().row(id))
                    .filter(Objects::nonNull)
                    .toList();
            return MapChanges.of(state, rows, masters);
        }
        if (!request.getServer().isEmpty()) {
            return MapChanges.ownedBy(state, request.getServer(), masters);
        }
        return listing.isOfAll()
                ? MapChanges.whole(state, masters)
                : MapChanges.of(state, listing.rows(state), masters);
    }

    private void addServer(Session session) {
        Incarnation incarnation = session.incarnation();
        Space space = session.space();
        if (incarnation != null) {
            String problem = heard.sessions().dfsProblem(incarnation);
            first.addSeen(session.seen(heard.nanos()).toBuilder().setDfsProblem(problem == null ? "" : problem));
        }
        if (incarnation != null && space != null) {
            first.addSpaces(ServerSpace.newBuilder()
                    .setIncarnation(incarnation.toWire())
                    .setSpace(space));
        }
    }

    private void addClocks(Clocks clocks) {
        first.setLeaderAheadTicks(clocks.leaderAhead());
        clocks.aheads()
                .forEach((incarnation, ahead) -> first.addClocks(ServerClock.newBuilder()
                        .setIncarnation(incarnation.toWire())
                        .setAheadTicks(ahead)
                        .setOff(clocks.isOff(incarnation))));
    }

    /**
     * Adds, before the first piece is taken, the cluster's feature level, the highest that the leader supports, and why
     * they differ.
     */
    void addLevel(int level, int next, List<String> heldBackBy) {
        first.setLevel(level).setNextLevel(next).addAllHeldBackBy(heldBackBy);
    }

    /** True if it contains the map, as only a leader's does. */
    boolean isOfLeader() {
        return map != null;
    }

    @Override
    public boolean hasNext() {
        return !begun || (map != null && map.hasNext());
    }

    @Override
    public StatusReply next() {
        StatusReply.Builder piece = begun ? StatusReply.newBuilder() : first;
        begun = true;
        if (map == null || state == null) {
            return piece.build();
        }
        MapUpdate rows = map.next(withLoads || withReasons ? LOADED_PIECE_BYTES : MapChange.PIECE_BYTES);
        piece.setMap(rows);
        for (RangeRow wire : rows.getRowsList()) {
            Row row = state.rows().row(wire.getId());
            if (row != null) {
                piece.addStates(rangeState(state, row));
            }
        }
        return map.hasNext() || unnamed.isEmpty()
                ? piece.build()
                : piece.setNamesMissing(heard.tables().whyMissing(unnamed)).build();
    }

    private RangeState.Builder rangeState(MasterState of, Row row) {
        RangeState.Builder shown = RangeState.newBuilder()
                .setRange(row.id())
                .setState(heard.openings().stateOf(of, row));
        Session session = heard.sessions().of(row.owner());
        @Nullable ReportedLoad load = session == null ? null : session.serving(row.id(), row.epoch());
        if (load != null) {
            shown.setEntitiesPerSecond(load.entities()).setBytes(load.bytes()).addAllDamagedFiles(load.damagedFiles());
            if (withLoads) {
                shown.setLoad(load.wire());
            }
        }
        if (withReasons) {
            heard.why().apply(row).forEach(each -> shown.addWhyNot(whyNot(each)));
        }
        if (listing.named()) {
            heard.tables().describe(shown, row.range(), of, unnamed);
        }
        String handoff = heard.handoffs().kindOn(row.id());
        if (handoff != null) {
            shown.setHandoff(handoff);
        }
        String failure = heard.openings().lastFailureOf(row.id());
        return failure == null ? shown : shown.setTrouble(failure);
    }

    private WhyNot.Builder whyNot(cleave.master.policy.WhyNot reason) {
        WhyNot.Builder shown = WhyNot.newBuilder()
                .setOf(reason.of().name().toLowerCase(Locale.ROOT))
                .setReason(reason.reason().word())
                .setText(reason.text());
        reason.figures().forEach(figure -> shown.addFigures(Events.figure(figure)));
        Long until = reason.untilNanos();
        return until == null ? shown : shown.setUntilTicks(heard.ticks() + (until - heard.nanos()) / NANOS_PER_TICK);
    }
}

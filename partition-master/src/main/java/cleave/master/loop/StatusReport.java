package cleave.master.loop;

import cleave.master.state.AnswerCodec;
import cleave.master.state.MapChanges;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterState;
import cleave.model.Row;
import cleave.wire.RangeLoad;
import cleave.wire.RangeState;
import cleave.wire.StatusReply;
import org.jspecify.annotations.Nullable;

/** What a master tells an operator. Stateless. Only a leader whose no-op was answered speaks of the map. */
final class StatusReport {
    private StatusReport() {}

    static StatusReply of(
            String self,
            MasterAnswer proof,
            Replication replication,
            Sessions sessions,
            Openings openings,
            Handoffs handoffs) {
        StatusReply.Builder report = StatusReply.newBuilder()
                .setStatus(AnswerCodec.status(proof))
                .setSelf(self)
                .setCluster(replication.cluster())
                .setLeader(replication.leaderAddress())
                .addAllPeers(replication.peers());
        if (!proof.isOk()) {
            return report.build();
        }
        MasterState state = replication.state();
        report.setMap(MapChanges.whole(state, replication.masters()));
        state.drops().values().forEach(drop -> report.addDrops(drop.toWire()));
        for (Row row : state.rows().all()) {
            RangeState.Builder told = rangeState(state, row, sessions, openings);
            String handoff = handoffs.of(row.id());
            report.addStates(handoff == null ? told : told.setHandoff(handoff));
        }
        return report.build();
    }

    private static RangeState.Builder rangeState(MasterState state, Row row, Sessions sessions, Openings openings) {
        RangeState.Builder told = RangeState.newBuilder().setRange(row.id()).setState(openings.stateOf(state, row));
        Session session = sessions.of(row.owner());
        @Nullable RangeLoad load = session == null ? null : session.serving(row.id(), row.epoch());
        if (load != null) {
            told.setEntitiesPerSecond(load.getEntitiesPerSecond()).setBytes(load.getBytes());
        }
        String trouble = openings.troubleOf(row.id());
        return trouble == null ? told : told.setTrouble(trouble);
    }
}

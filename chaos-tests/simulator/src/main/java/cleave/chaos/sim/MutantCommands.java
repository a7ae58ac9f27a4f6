package cleave.chaos.sim;

import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.master.state.Step;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.wire.PublishRequest;
import org.pcollections.TreePMap;

/** Planted bugs between the masters' log and the state machine. Immutable. */
record MutantCommands(Bug bug) {
    /** The command that enters the log. */
    byte[] entering(byte[] proposed, MasterState newest) {
        return bug == Bug.EPOCH_COMPARED_FOR_VERSION ? ofThisVersion(proposed, newest) : proposed;
    }

    Step step(MasterState state, MasterCommand command, long index) {
        if (bug == Bug.SERVERS_KEPT_WHEN_THE_DFS_MOVES && command instanceof MasterCommand.UseDfs) {
            Step step = state.step(command, index);
            return new Step(with(step.state(), state.servers()), step.answer());
        }
        if (bug != Bug.MOVED_TO_A_DEAD_SERVER || !(command instanceof MasterCommand.Handoff handoff)) {
            return state.step(command, index);
        }
        TreePMap<String, Server> servers = state.servers();
        for (MasterCommand.TargetRow target : handoff.targets()) {
            Incarnation owner = target.owner();
            servers = state.isLive(owner) || handoff.by().equals(owner)
                    ? servers
                    : servers.plus(owner.server(), new Server(owner, "nowhere:1", false));
        }
        Step step = with(state, servers).step(command, index);
        return new Step(with(step.state(), state.servers()), step.answer());
    }

    private static MasterState with(MasterState state, TreePMap<String, Server> servers) {
        return new MasterState(
                state.cluster(),
                state.mapVersion(),
                state.rows(),
                servers,
                state.nextTable(),
                state.drops(),
                state.settings(),
                state.level(),
                state.dfs());
    }

    /** The command with the newest version of its rows, if their epoch is the same. */
    private static byte[] ofThisVersion(byte[] proposed, MasterState newest) {
        cleave.wire.MasterCommand.Builder command = SimVersion.wire(proposed).toBuilder();
        if (command.hasPublish()) {
            PublishRequest.Builder publish = command.getPublishBuilder();
            publish.setVersion(newestVersion(newest, publish.getRange(), publish.getVersion()));
        } else if (command.hasHandoff()) {
            command.getHandoffBuilder()
                    .getSourcesBuilderList()
                    .forEach(each -> each.setVersion(newestVersion(newest, each.getRange(), each.getVersion())));
        }
        return command.build().toByteArray();
    }

    private static long newestVersion(MasterState newest, long range, long version) {
        for (Row row : newest.rows().all()) {
            if (row.id() == range && row.epoch() <= version) {
                return row.version();
            }
        }
        return version;
    }
}

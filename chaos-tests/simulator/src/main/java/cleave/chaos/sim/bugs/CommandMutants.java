package cleave.chaos.sim.bugs;

import cleave.chaos.sim.world.SimVersion;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.master.state.Step;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.wire.PublishRequest;
import org.pcollections.TreePMap;

/** The planted bugs of the masters' log and state machine. Stateless. */
public final class CommandMutants {
    private CommandMutants() {}

    /** The command that enters the masters' log. */
    public static byte[] entering(Bug bug, byte[] proposed, MasterState newest) {
        if (bug != Bug.EPOCH_COMPARED_FOR_VERSION) {
            return proposed;
        }
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

    /** The version of a range's newest row, if its epoch is the same. */
    private static long newestVersion(MasterState newest, long range, long version) {
        Row row = newest.rows().row(range);
        return row != null && row.epoch() <= version ? row.version() : version;
    }

    /** The step of the masters' state machine by a command. */
    public static Step step(Bug bug, MasterState state, MasterCommand command, long index) {
        TreePMap<String, Server> servers = state.servers();
        if (bug == Bug.MOVED_TO_A_DEAD_SERVER && command instanceof MasterCommand.Handoff handoff) {
            for (MasterCommand.TargetRow target : handoff.targets()) {
                Incarnation owner = target.owner();
                servers = state.isLive(owner) || handoff.by().equals(owner)
                        ? servers
                        : servers.plus(owner.server(), new Server(owner, "nowhere:1", false));
            }
        } else if (bug != Bug.SERVERS_KEPT_WHEN_THE_DFS_MOVES || !(command instanceof MasterCommand.UseDfs)) {
            return state.step(command, index);
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
                state.dfs(),
                state.fences(),
                state.acts());
    }
}

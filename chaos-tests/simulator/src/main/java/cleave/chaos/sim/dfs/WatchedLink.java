package cleave.chaos.sim.dfs;

import static cleave.chaos.sim.world.Intercepted.changed;

import cleave.chaos.sim.world.World;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink;
import cleave.dfs.state.NamesCommand;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A DFS node's link between its service and its core: traces calls and checks deletions. Stateless. */
final class WatchedLink {
    private WatchedLink() {}

    static NodeLink of(World world, NodeLink link, Deletions deletions, Consumer<String> deleting) {
        return changed(
                NodeLink.class,
                link,
                Map.of(
                        "connect",
                        call -> call.goWith(0, watched(world, call.<NodeLink.Events>argument(0))),
                        "names",
                        call -> {
                            List<NamesCommand> commands = call.argument(1);
                            commands.forEach(command -> note(world, command, deleting));
                            return deletions.names(link, call.argument(0), commands);
                        },
                        "lookUp",
                        call -> deletions.lookUp(link, call.argument(0), call.argument(1))));
    }

    private static NodeLink.Events watched(World world, NodeLink.Events events) {
        return changed(
                NodeLink.Events.class,
                events,
                Map.of(
                        "connected",
                        call -> call.goWith(1, watched(world, call.<NodeLink.Session>argument(1))),
                        "refused",
                        call -> call.after(() -> world.trace()
                                .count(
                                        call.argument(1) == ExtentStatus.NO_SPACE
                                                ? "appends refused by the DFS node for lack of space"
                                                : "appends and barriers refused by the DFS node"))));
    }

    private static NodeLink.Session watched(World world, NodeLink.Session session) {
        return changed(
                NodeLink.Session.class,
                session,
                Map.of(
                        "append", call -> call.after(() -> world.trace().count("appends")),
                        "barrier", call -> call.after(() -> world.trace().count("barriers"))));
    }

    private static void note(World world, NamesCommand command, Consumer<String> deleting) {
        world.trace().note(world.now(), "dfs", "takes", command.toString());
        if (command instanceof NamesCommand.DeleteFile delete) {
            world.trace().count("files deleted");
            deleting.accept(delete.path());
        } else if (command instanceof NamesCommand.MarkSealing) {
            world.trace().count("seals");
        }
    }
}

package cleave.chaos.sim;

import cleave.dfs.Dfs.Space;
import cleave.dfs.loop.ExtentStatus;
import cleave.dfs.loop.NodeLink;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesCommand;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A DFS node's link between its service and its core: traces calls and checks deletions. Confined to the simulation. */
final class WatchedLink implements NodeLink {
    private final World world;
    private final NodeLink link;
    private final Deletions deletions;
    private final Consumer<String> deleting;

    WatchedLink(World world, NodeLink link, Deletions deletions, Consumer<String> deleting) {
        this.world = world;
        this.link = link;
        this.deletions = deletions;
        this.deleting = deleting;
    }

    @Override
    public void connect(Events events) {
        link.connect(new Events() {
            @Override
            public void connected(String node, Session session) {
                events.connected(node, watched(session));
            }

            @Override
            public void broken(String why) {
                events.broken(why);
            }

            @Override
            public void durable(long extent, long length) {
                events.durable(extent, length);
            }

            @Override
            public void passed(long tag) {
                events.passed(tag);
            }

            @Override
            public void refused(long extent, ExtentStatus status) {
                world.trace()
                        .count(
                                status == ExtentStatus.NO_SPACE
                                        ? "appends refused by the DFS node for lack of space"
                                        : "appends and barriers refused by the DFS node");
                events.refused(extent, status);
            }

            @Override
            public void flush() {
                events.flush();
            }
        });
    }

    private Session watched(Session session) {
        return new Session() {
            @Override
            public void append(Append append, long acknowledged) {
                world.trace().count("appends");
                session.append(append, acknowledged);
            }

            @Override
            public void barrier(long extent, long offset, long acknowledged, long tag) {
                world.trace().count("barriers");
                session.barrier(extent, offset, acknowledged, tag);
            }

            @Override
            public void close() {
                session.close();
            }
        };
    }

    @Override
    public CompletableFuture<List<NamesAnswer>> names(String node, List<NamesCommand> commands) {
        for (NamesCommand command : commands) {
            world.trace().note(world.now(), "dfs", "takes", command.toString());
            if (command instanceof NamesCommand.DeleteFile delete) {
                world.trace().count("files deleted");
                deleting.accept(delete.path());
            } else if (command instanceof NamesCommand.MarkSealing) {
                world.trace().count("seals");
            } else if (command instanceof NamesCommand.AddExtent) {
                world.trace().count("extents added");
            }
        }
        return deletions.names(link, node, commands);
    }

    @Override
    public CompletableFuture<List<LengthAnswer>> fence(String node, List<Long> extents) {
        return link.fence(node, extents);
    }

    @Override
    public CompletableFuture<ExtentStatus> drop(String node, List<Long> extents) {
        return link.drop(node, extents);
    }

    @Override
    public CompletableFuture<List<LengthAnswer>> visible(String node, List<Long> extents, Replication replication) {
        return link.visible(node, extents, replication);
    }

    @Override
    public CompletableFuture<ExtentBytes> read(String node, Piece piece) {
        return link.read(node, piece);
    }

    @Override
    public CompletableFuture<List<NamesAnswer>> lookUp(String node, List<String> paths) {
        return deletions.lookUp(link, node, paths);
    }

    @Override
    public CompletableFuture<FileList> list(String node, String prefix, String after, int limit) {
        return link.list(node, prefix, after, limit);
    }

    @Override
    public CompletableFuture<Void> probe() {
        return link.probe();
    }

    @Override
    public CompletableFuture<Space> space() {
        return link.space();
    }

    @Override
    public void close() {
        link.close();
    }
}

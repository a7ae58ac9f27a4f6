package cleave.dfs.node;

import cleave.dfs.link.NamesCodec;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.JournalFormat.Kind;
import cleave.dfs.state.FileEntry;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesCommand;
import cleave.dfs.state.NamesState;
import cleave.runtime.loop.EventLoop;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The names of files on a node: logs the commands that change them, and answers only what is durable. Confined to the
 * node's loop.
 */
public final class NodeNames {
    private final String node;
    private final EventLoop loop;
    private final Journal journal;
    private final DfsMetrics metrics;
    private NamesState state;
    /** The group with the last change. */
    private long changedAt;

    NodeNames(String node, EventLoop loop, Journal journal, DfsMetrics metrics, NamesState state) {
        this.node = node;
        this.loop = loop;
        this.journal = journal;
        this.metrics = metrics;
        this.state = state;
        metrics.files(state.files().size());
        metrics.deletedNames(state.deleted().size());
    }

    /** The current names, durable or not; for observers, never for answers. */
    public NamesState state() {
        return state;
    }

    /** Applies a command, and logs it if it changes anything. */
    NamesAnswer step(NamesCommand command) {
        loop.assertInside();
        NamesState.Step step = state.step(command);
        if (step.changed()) {
            ByteString body = NamesCodec.wire(command, node).toByteString();
            JournalGroup group = journal.groupWithSpaceFor(body.size());
            group.add(Kind.NAMES, 0, 0, body);
            changedAt = group.sequence();
            state = step.state();
            metrics.files(state.files().size());
        }
        return step.answer();
    }

    void whenDurable(Runnable reply) {
        journal.whenCommitted(changedAt, reply);
    }

    void lookUp(List<String> paths, Consumer<List<NamesAnswer>> reply) {
        loop.assertInside();
        List<NamesAnswer> answers = new ArrayList<>(paths.size());
        for (String path : paths) {
            answers.add(state.lookUp(path));
        }
        whenDurable(() -> reply.accept(answers));
    }

    void list(String prefix, String after, int limit, Consumer<List<FileEntry>> reply) {
        loop.assertInside();
        List<FileEntry> found = state.list(prefix, after, limit);
        whenDurable(() -> reply.accept(found));
    }
}

package cleave.dfs.loop;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.state.FileEntry;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesCommand;
import cleave.model.RequestId;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What a client needs of a node, in this process or elsewhere. Thread-safe. A call that did not reach the node, or whose answer was
 * lost, fails with {@link cleave.dfs.DfsException.Reason#UNAVAILABLE}; all calls can be repeated. Calls name the node whose disk
 * is meant; of another, those about extents answer WRONG_NODE, those about names fail as if it had not been reached.
 */
public interface NodeLink {
    /** Begins a session for appends; {@link Events#broken} reports its end. */
    void connect(Events events);

    /** Another node than the one that is meant was met: its address is looked up again, if it has one. Ends no call. */
    default void findAgain() {}

    CompletableFuture<List<LengthAnswer>> fence(String node, List<Long> extents);

    CompletableFuture<ExtentVerdict> drop(String node, List<Long> extents);

    /** How far readers of open extents may look. */
    CompletableFuture<List<LengthAnswer>> visible(String node, List<Long> extents, Replication replication);

    CompletableFuture<ExtentBytes> read(String node, Piece piece);

    /**
     * What a reader asks of an extent. Immutable.
     *
     * @param end the extent's sealed length, or {@link cleave.dfs.state.ExtentPlace#OPEN}
     */
    record Piece(long extent, long offset, int length, long end, Replication replication) {}

    CompletableFuture<List<NamesAnswer>> names(String node, List<NamesCommand> commands);

    CompletableFuture<List<NamesAnswer>> lookUp(String node, List<String> paths);

    CompletableFuture<FileList> list(String node, String prefix, String after, int limit);

    /** Completes when the node has made something durable after the call. */
    CompletableFuture<Void> probe();

    /** How much space the node's disk has. */
    CompletableFuture<Space> space();

    /** Gives up connections. */
    void close();

    /** A length, if the verdict is OK. Immutable. */
    record LengthAnswer(ExtentVerdict verdict, long length) {}

    /** Bytes, if the verdict is OK. Immutable. */
    record ExtentBytes(ExtentVerdict verdict, ByteString bytes) {}

    /** A piece of a list. Immutable. */
    record FileList(List<FileEntry> files, boolean more) {
        public FileList {
            files = List.copyOf(files);
        }
    }

    /** What the session's client hears; called on any thread, and in order. */
    interface Events extends SessionEvents {
        void connected(String node, Session session);

        /** Nothing is heard of the session afterwards. */
        void broken(String why);
    }

    /**
     * Bytes for an extent, of which it has those before the offset. Immutable.
     *
     * @param request a client's, whose write is in the bytes; for logs
     */
    record Append(long extent, long offset, Purpose purpose, ByteString bytes, RequestId request) {}

    /** A session: appends and barriers arrive in the order of calls, or the session breaks. */
    interface Session {
        /** The session it was before it broke takes calls and does nothing. */
        void append(Append append, long acknowledged);

        void barrier(long extent, long offset, long acknowledged, long tag);

        void close();
    }

    /** Whether what is durable at one replica is acknowledged. */
    enum Replication {
        SOLE,
        SEVERAL
    }
}

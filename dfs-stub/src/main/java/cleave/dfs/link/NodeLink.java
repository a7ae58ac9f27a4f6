package cleave.dfs.link;

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
 * A client's way to a node, in this process or elsewhere. Thread-safe. A call that did not reach the node, or
 * whose answer was lost, fails with {@link cleave.dfs.DfsException.Reason#UNAVAILABLE}; all calls can be repeated.
 * Calls name the node whose disk is meant. At another node, calls about extents answer WRONG_NODE, and calls about
 * names fail as if the node had not been reached.
 */
public interface NodeLink {
    /** Begins a session for appends; {@link Events#broken} reports its end. */
    void connect(Events events);

    /** Reports that another node answered at the address, which is then looked up again. Ends no call. */
    default void findAgain() {}

    CompletableFuture<List<LengthAnswer>> fence(String node, List<Long> extents);

    CompletableFuture<ExtentStatus> drop(String node, List<Long> extents);

    /** Asks how much of extents is durable. Readers may see as much of an open extent. */
    CompletableFuture<List<LengthAnswer>> visible(String node, List<Long> extents);

    CompletableFuture<ExtentBytes> read(String node, Piece piece);

    /**
     * A request to read from an extent. Immutable.
     *
     * @param end the extent's sealed length, or {@link cleave.dfs.state.ExtentPlace#OPEN}
     */
    record Piece(long extent, long offset, int length, long end) {}

    CompletableFuture<List<NamesAnswer>> names(String node, List<NamesCommand> commands);

    CompletableFuture<List<NamesAnswer>> lookUp(String node, List<String> paths);

    CompletableFuture<FileList> list(String node, String prefix, String after, int limit);

    /** Completes when the node has made a record durable after the call. */
    CompletableFuture<Void> probe();

    /** How much space the node's disk has. */
    CompletableFuture<Space> space();

    /** Closes connections. */
    void close();

    /** A length, if the status is OK. Immutable. */
    record LengthAnswer(ExtentStatus status, long length) {}

    /** Bytes, if the status is OK. Immutable. */
    record ExtentBytes(ExtentStatus status, ByteString bytes) {}

    /** A page of a listing. Immutable. */
    record FileList(List<FileEntry> files, boolean more) {
        public FileList {
            files = List.copyOf(files);
        }
    }

    /** Receives the answers of a session, on any thread and in order. */
    interface Events extends SessionEvents {
        void connected(String node, Session session);

        /** Ends the session; nothing follows. */
        void broken(String why);
    }

    /**
     * Bytes for an extent at an offset, which must be its length. Immutable.
     *
     * @param request of a client, whose write is in the bytes; for logs
     * @param timed whether the node says how long it took
     */
    record Append(long extent, long offset, Purpose purpose, ByteString bytes, RequestId request, boolean timed) {}

    /** A session: appends and barriers arrive in the order of calls, or the session breaks. */
    interface Session {
        /** A broken session ignores calls. */
        void append(Append append);

        void barrier(long extent, long offset, long tag);

        void close();
    }
}

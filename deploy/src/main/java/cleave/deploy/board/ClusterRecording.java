package cleave.deploy.board;

import cleave.board.Board;
import cleave.board.Pace;
import cleave.board.Source;
import cleave.board.scrape.Scrape.Kind;
import cleave.board.sight.Names;
import cleave.deploy.CommandFailure;
import cleave.deploy.Version;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.board.Scraper.Named;
import cleave.runtime.files.FileProblem;
import cleave.runtime.rpc.Address;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Random;

/** A recording of a cluster that is being made in this process, without a page: what {@code cleave board --record} writes. Thread-safe; closed once. */
public final class ClusterRecording implements AutoCloseable {
    private final Board board;

    private ClusterRecording(Board board) {
        this.board = board;
    }

    /**
     * Begins to record, a frame a second. CommandFailure if the file cannot be used. A cluster that does not answer is recorded as such.
     *
     * @param file that is appended to
     * @param masters of patience of some seconds; closed with this, or when this fails
     * @param dfs addresses of the metrics of nodes of the DFS, which no master tells
     */
    public static ClusterRecording begin(Path file, AdminClient masters, List<Address> dfs) {
        Source source = new AdminSource(
                masters,
                new Scraper(dfs.stream().map(node -> new Named(Kind.DFS, node)).toList()),
                null);
        try {
            Board.Plan plan = new Board.Plan(
                    "cleave " + Version.built(), Pace.STEADY, null, file.toAbsolutePath(), Names.CLEAR, false);
            Board board = new Board(plan, source, BoardProcess.CLOCK, new Random(new SecureRandom().nextLong()));
            board.start((frame, line, whole) -> {}, () -> 0);
            return new ClusterRecording(board);
        } catch (IOException unfit) {
            source.close();
            throw CommandFailure.taken("nothing can be recorded: " + FileProblem.text(unfit));
        }
    }

    /** Ends it after the frame under way, which takes some seconds if nobody answers. */
    @Override
    public void close() {
        board.close();
    }
}

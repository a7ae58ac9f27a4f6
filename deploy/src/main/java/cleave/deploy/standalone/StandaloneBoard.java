package cleave.deploy.standalone;

import cleave.board.Pace;
import cleave.board.http.BoardServer.Listen;
import cleave.board.scrape.Scrape.Kind;
import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.AdminToken;
import cleave.deploy.board.BoardProcess;
import cleave.deploy.board.BoardProcess.Admin;
import cleave.deploy.board.BoardProcess.Keeping;
import cleave.deploy.play.LocalPlay;
import cleave.runtime.rpc.Address;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The board of a standalone, in its process. It is started when everything else is ready, on a thread of its own, and asks seldom while nobody watches, so it
 * delays nothing. One that cannot be started is a warning. Thread-safe.
 */
final class StandaloneBoard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StandaloneBoard.class);
    private static final Pace PACE = new Pace(1000, 5000);
    private static final String HOST = "127.0.0.1";

    private final StandaloneConfig config;
    private final int port;
    private final Consumer<String> terminal;
    private final boolean play;
    private @Nullable BoardProcess started;
    private boolean isClosed;

    /**
     * @param port 0: any free one
     * @param play whether load may be put on it from the page
     */
    StandaloneBoard(StandaloneConfig config, int port, boolean play, Consumer<String> terminal) {
        this.config = config;
        this.port = port;
        this.play = play;
        this.terminal = terminal;
    }

    /** Returns at once. */
    void start(int adminPort, Endpoint account) {
        Thread starter = new Thread(() -> begin(adminPort, account), "board start");
        starter.setDaemon(true);
        starter.start();
    }

    private synchronized void begin(int adminPort, Endpoint account) {
        if (isClosed) {
            return;
        }
        try {
            Address admin = new Address(HOST, adminPort);
            BoardProcess board = BoardProcess.live(
                    new Listen(HOST, port, null),
                    BoardProcess.ofOneProcess(config.master(), List.of(Kind.FRONT_END, Kind.SERVER, Kind.DFS), admin),
                    new Keeping(config.data().resolve("board"), null, false),
                    PACE,
                    play ? new Admin(AdminToken.random(), LocalPlay.ofStandalone(account)) : null);
            started = board;
            terminal.accept("Board: " + board.urlToPlay());
        } catch (CommandFailure failed) {
            terminal.accept("There is no board: " + failed.getMessage());
        } catch (RuntimeException bug) {
            LOG.error("the board did not start", bug);
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (started != null) {
            started.close();
            started = null;
        }
    }
}

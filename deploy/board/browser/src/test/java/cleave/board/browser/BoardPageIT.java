package cleave.board.browser;

import static java.util.stream.Collectors.joining;

import cleave.board.Recorded;
import cleave.board.http.BoardServer;
import cleave.board.recording.Replay;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The board's page, served by the board from recordings. */
class BoardPageIT {
    @TempDir
    private Path folder;

    private final List<BoardServer> boards = new ArrayList<>();

    @AfterEach
    void close() {
        boards.forEach(BoardServer::close);
    }

    /** A member of a JSON object: the name of a recording, and the address at which a board plays it. */
    private String played(Browser browser, String name) throws IOException {
        Recorded recorded = new Recorded(Replay.of(browser.recording(name, folder)), "cleave test");
        BoardServer board = new BoardServer(new BoardServer.Listen("127.0.0.1", 0, null), recorded);
        boards.add(board);
        board.start();
        return "\"" + name + "\":\"http://127.0.0.1:" + board.port() + "\"";
    }

    @Test
    void thePageShowsWhatTheRecordingsHold() throws IOException {
        Browser browser = Browser.here();
        List<String> addresses = new ArrayList<>();
        for (String name : List.of("story", "hostile", "stale", "large")) {
            addresses.add(played(browser, name));
        }

        browser.run("board.test.mjs", "BOARDS", addresses.stream().collect(joining(",", "{", "}")));
    }
}

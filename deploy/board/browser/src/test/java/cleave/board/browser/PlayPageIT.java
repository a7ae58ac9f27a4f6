package cleave.board.browser;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.Cleave;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A cluster of processes, of which a server is killed and started again, and another one cut off from the master, on the page of its board. */
class PlayPageIT {
    private static final Pattern URL = Pattern.compile("Board: (http://127\\.0\\.0\\.1:\\d+/#admin=[0-9a-f]{32})");

    @TempDir
    private Path folder;

    private final StringWriter told = new StringWriter();
    private boolean isStarted;

    private int cluster(String... more) {
        CommandLine line = Cleave.commandLine();
        PrintWriter writer = new PrintWriter(told, true);
        line.setOut(writer).setErr(writer);
        List<String> arguments = new ArrayList<>(List.of("cluster"));
        arguments.addAll(List.of(more));
        arguments.addAll(List.of("--dir", folder.toString()));
        return line.execute(arguments.toArray(String[]::new));
    }

    @AfterEach
    void stop() {
        if (isStarted) {
            cluster("stop");
        }
    }

    @Test
    void whoPlaysKillsAServerAndNothingIsLost() throws IOException {
        Browser browser = Browser.here();
        isStarted = true;
        int status = cluster(
                "--play", "--masters", "1", "--servers", "2", "--front-ends", "1", "--port", "0", "--wait", "240");
        assertThat(status).as(told::toString).isZero();
        Matcher url = URL.matcher(told.toString());
        assertThat(url.find()).as(told::toString).isTrue();

        browser.run("play.test.mjs", "PLAY", url.group(1));
    }
}

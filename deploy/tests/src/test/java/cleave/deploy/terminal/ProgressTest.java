package cleave.deploy.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final StringWriter written = new StringWriter();

    @Test
    void onATerminalTheLineIsRewrittenInPlace() {
        try (Progress progress = new Progress(new PrintWriter(written), true)) {
            progress.show("10 of 20");
            progress.show("done");
        }

        assertThat(written).hasToString("\r10 of 20\rdone    " + System.lineSeparator());
    }

    @Test
    void elsewhereOnlyTheLastLineIsWritten() {
        try (Progress progress = new Progress(new PrintWriter(written), false)) {
            progress.show("10 of 20");
            progress.show("done");
        }

        assertThat(written).hasToString("done" + System.lineSeparator());
    }

    @Test
    void nothingShownIsNothingWritten() {
        new Progress(new PrintWriter(written), true).close();

        assertThat(written).hasToString("");
    }
}

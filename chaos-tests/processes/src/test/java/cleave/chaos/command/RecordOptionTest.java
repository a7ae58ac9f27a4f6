package cleave.chaos.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class RecordOptionTest {
    @TempDir
    private Path dir;

    @Command
    private static final class Recorded {
        @Mixin
        private final RecordOption record = new RecordOption();
    }

    private static RecordOption of(String... arguments) {
        Recorded recorded = new Recorded();
        new CommandLine(recorded).parseArgs(arguments);
        return recorded.record;
    }

    @Test
    void onlyANewFileIsWritten() throws IOException {
        Path there = Files.writeString(dir.resolve("there.jsonl"), "a recording of somebody\n");

        assertThatThrownBy(of("--record", there.toString())::check)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(there + " is there already");
        assertThatThrownBy(of("--record", dir.resolve("none/new.jsonl").toString())::check)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("there is no folder " + dir.resolve("none"));
        assertThatCode(of("--record", dir.resolve("new.jsonl").toString())::check)
                .doesNotThrowAnyException();
        assertThat(there).hasContent("a recording of somebody");
    }

    @Test
    void nobodyIsAskedUnlessARecordingIsWanted() {
        AtomicBoolean isAsked = new AtomicBoolean();

        assertThat(of().begin(() -> {
                    isAsked.set(true);
                    return AdminClient.watcher(List.of("127.0.0.1:1"), null);
                }))
                .isNull();
        assertThat(isAsked).isFalse();
        assertThat(of().told()).isEmpty();
    }
}

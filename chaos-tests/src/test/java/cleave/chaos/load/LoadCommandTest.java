package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class LoadCommandTest {
    private static void run(String... arguments) {
        LoadCommand command = new LoadCommand();
        new CommandLine(command).parseArgs(arguments);
        command.call();
    }

    @Test
    void anEndpointThatNobodyServesIsNoBug() {
        assertThatThrownBy(() -> run("--endpoint", "http://127.0.0.1:1"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("no load on http://127.0.0.1:1: Connection refused");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--connections=0", "--seconds=0", "--beside-connections=-1", "--beside-account=heavy"})
    void whatMakesNoSenseIsRefusedWithWhatDoes(String option) {
        assertThatThrownBy(() -> run("--endpoint", "http://127.0.0.1:1", option))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(option.startsWith("--beside-account") ? "--beside KIND" : "at least 1");
    }
}

package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.model.UnknownFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import org.junit.jupiter.api.Test;

class StartFailureTest {
    private static int exitCode(RuntimeException explained) {
        assertThat(explained).isInstanceOf(CommandFailure.class);
        return explained instanceof CommandFailure failure ? failure.exitCode() : ExitCode.BUG;
    }

    @Test
    void whatTheMachineRefusesIsNoBug() {
        IOException why = new IOException("the process may open 900 files");
        RuntimeException explained = StartFailure.explained(new UncheckedIOException("s1 cannot start", why));
        assertThat(exitCode(explained)).isEqualTo(ExitCode.FAILED);
        assertThat(explained).hasMessage("s1 cannot start: the process may open 900 files");
    }

    @Test
    void aPortThatIsInUseHasAStatusOfItsOwn() {
        RuntimeException explained =
                StartFailure.explained(new UncheckedIOException("m1 cannot start", new BindException("in use")));
        assertThat(exitCode(explained)).isEqualTo(ExitCode.TAKEN);
    }

    @Test
    void bugsAndFormatsOfNewerVersionsAreLeftAsTheyAre() {
        RuntimeException bug = new IllegalStateException("a bug");
        assertThat(StartFailure.explained(bug)).isSameAs(bug);
        UnknownFormat newer = new UnknownFormat("a journal of format 9", "formats 1 to 2");
        RuntimeException wrapped = new UncheckedIOException(new IOException(newer));
        assertThat(StartFailure.explained(wrapped)).isSameAs(wrapped);
    }
}

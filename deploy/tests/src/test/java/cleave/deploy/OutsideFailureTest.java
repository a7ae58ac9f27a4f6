package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.UnknownFormat;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class OutsideFailureTest {
    private static int exitCode(RuntimeException explained) {
        assertThat(explained).isInstanceOf(CommandFailure.class);
        return explained instanceof CommandFailure failure ? failure.exitCode() : ExitCode.BUG;
    }

    @Test
    void whatTheMachineRefusesIsNoBug() {
        IOException why = new IOException("the process may open 900 files");
        RuntimeException explained = OutsideFailure.explained(new UncheckedIOException("s1 cannot start", why));
        assertThat(exitCode(explained)).isEqualTo(ExitCode.FAILED);
        assertThat(explained).hasMessage("s1 cannot start: the process may open 900 files");
    }

    @Test
    void aPortThatIsInUseHasAStatusOfItsOwn() {
        RuntimeException explained =
                OutsideFailure.explained(new UncheckedIOException("m1 cannot start", new BindException("in use")));
        assertThat(exitCode(explained)).isEqualTo(ExitCode.TAKEN);
    }

    @Test
    void whatTheSystemSaysIsToldInWordsAndOnce() {
        IOException missing = new NoSuchFileException("/no/such");
        assertThat(OutsideFailure.explained(new UncheckedIOException(missing)))
                .hasMessage("/no/such: no such file or folder");
        assertThat(OutsideFailure.explained(new IllegalStateException("starting: " + missing, missing)))
                .isInstanceOf(CommandFailure.class);
        assertThat(exitCode(OutsideFailure.explained(new InvalidPathException("a\0b", "Nul character not allowed"))))
                .isEqualTo(ExitCode.USAGE);
        BadSetting wrong = new BadSetting("setting x is wrong");
        assertThat(OutsideFailure.explained(new IllegalStateException(wrong))).isSameAs(wrong);
    }

    @Test
    void bugsAndFormatsOfNewerVersionsAreLeftAsTheyAre() {
        RuntimeException bug = new IllegalStateException("a bug");
        assertThat(OutsideFailure.explained(bug)).isSameAs(bug);
        UnknownFormat newer = new UnknownFormat("a journal of format 9", "formats 1 to 2");
        RuntimeException wrapped = new UncheckedIOException(new IOException(newer));
        assertThat(OutsideFailure.explained(wrapped)).isSameAs(wrapped);
    }
}

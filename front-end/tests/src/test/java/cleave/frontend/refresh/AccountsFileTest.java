package cleave.frontend.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.settings.FrontEndConfig;
import cleave.runtime.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccountsFileTest {
    private final CollectorRegistry registry = new CollectorRegistry();
    private final FrontEndMetrics metrics = new FrontEndMetrics(registry);
    private Path file = Path.of("");

    @TempDir
    private Path folder;

    @BeforeEach
    void writeFile() throws IOException {
        file = folder.resolve("accounts");
        Files.writeString(file, "# ours\nalpha=a2V5\n\n");
    }

    private AccountsFile load(boolean development) throws IOException {
        return new AccountsFile(
                FrontEndConfig.from(new Settings(Map.of(
                        "seeds", "h:1",
                        "front-end.accounts", file.toString(),
                        "front-end.development-account", Boolean.toString(development)))),
                metrics);
    }

    private double reloads(String outcome) {
        Double count = registry.getSampleValue(
                "cleave_front_end_reloads_total", new String[] {"what", "outcome"}, new String[] {"accounts", outcome});
        return count == null ? 0 : count;
    }

    @Test
    void theDevelopmentAccountIsServedOnlyWhenAskedFor() throws IOException {
        assertThat(load(true).current().names()).containsExactly("alpha", "devstoreaccount1");
        assertThat(load(false).current().names()).containsExactly("alpha");
    }

    @Test
    void aWrongFileStopsTheStart() throws IOException {
        Files.writeString(file, "alpha=a2V5\nbeta");
        assertThatThrownBy(() -> load(false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("line 2");
        Files.delete(file);
        assertThatThrownBy(() -> load(false)).isInstanceOf(IOException.class);
    }

    @Test
    void aChangedFileIsTaken() throws IOException {
        AccountsFile accounts = load(false);
        accounts.look();
        Path next = Files.writeString(folder.resolve("next"), "beta=a2V5\n");
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
        accounts.look();
        accounts.look();

        assertThat(accounts.current().names()).containsExactly("beta");
        assertThat(reloads("taken")).isEqualTo(1);
    }

    @Test
    void aWrongOrMissingFileLeavesTheAccountsAsTheyWere() throws IOException {
        AccountsFile accounts = load(false);
        Files.writeString(file, "beta=a2V5\nnonsense\n");
        accounts.look();
        accounts.look();
        assertThat(accounts.current().names()).containsExactly("alpha");
        assertThat(reloads("refused")).isEqualTo(1);

        Files.delete(file);
        accounts.look();
        assertThat(accounts.current().names()).containsExactly("alpha");
        assertThat(reloads("refused")).isEqualTo(2);

        Files.writeString(file, "beta=a2V5\n");
        accounts.look();
        accounts.look();
        assertThat(accounts.current().names()).containsExactly("beta");
    }

    @Test
    void aFileThatIsBeingWrittenIsNotTakenBeforeItRests() throws IOException {
        AccountsFile accounts = load(false);
        for (String written : List.of("", "beta=a2", "beta=a2V5\ngam", "beta=a2V5\ngamma=a2V5\n")) {
            Files.writeString(file, written);
            accounts.look();
            assertThat(accounts.current().names()).containsExactly("alpha");
        }

        accounts.look();
        assertThat(accounts.current().names()).containsExactly("beta", "gamma");
        assertThat(reloads("taken")).isEqualTo(1);
        assertThat(reloads("refused")).isZero();
    }

    @Test
    void eachTimeThatTheFileIsGoneCounts() throws IOException {
        AccountsFile accounts = load(false);
        String text = Files.readString(file);
        for (int times = 1; times <= 2; times++) {
            Files.delete(file);
            accounts.look();
            accounts.look();
            assertThat(reloads("refused")).isEqualTo(times);
            Files.writeString(file, text);
            accounts.look();
        }
    }
}

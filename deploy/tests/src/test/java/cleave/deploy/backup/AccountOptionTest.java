package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.TableAccount;
import cleave.deploy.access.Tables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Commands over the Table protocol report where they acted. */
class AccountOptionTest {
    @Test
    void withAConnectionStringTheAddressIsReported(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("connection.txt");
        Files.writeString(
                file, TableAccount.development("http://10.0.0.7:10002").connectionString() + "\n");

        AccountOption option = new AccountOption();
        new CommandLine(option).parseArgs("--connection-file", file.toString());

        assertThat(option.place(option.tables())).isEqualTo("# account at http://10.0.0.7:10002/devstoreaccount1");
    }

    @Test
    void aFileWithoutAConnectionStringIsNamed(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("connection.txt"), "AccountName=shop");
        AccountOption option = new AccountOption();
        new CommandLine(option).parseArgs("--connection-file", file.toString());

        assertThatThrownBy(option::tables)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("neither AccountName and AccountKey");
    }

    /** The command has done its work by then, so it does not fail. */
    @Test
    void ifNoMasterAnswersTheAddressIsReported(@TempDir Path folder) {
        new Deployment(List.of(), List.of("http://10.0.0.7:10002"), null, "cleave", "a2V5").save(folder);
        AccountOption option = new AccountOption();
        new CommandLine(option).parseArgs("--dir", folder.toString());
        Tables tables = option.tables();

        assertThat(option.place(tables)).isEqualTo("# account at http://10.0.0.7:10002/cleave");
        Deployment.remove(folder);
        assertThat(option.place(tables)).isEqualTo("# account at http://10.0.0.7:10002/cleave");
    }
}

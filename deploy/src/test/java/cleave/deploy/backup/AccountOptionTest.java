package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.access.Deployment;
import cleave.deploy.access.SignedHttp;
import cleave.deploy.access.TableAccount;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What commands over the Table protocol say of where they acted. */
class AccountOptionTest {
    @Test
    void withAConnectionStringTheAddressIsReported() {
        String text = TableAccount.development("http://10.0.0.7:10002").connectionString();

        AccountOption option = new AccountOption();
        new CommandLine(option).parseArgs("--connection-string", text);

        assertThat(option.place(option.http())).isEqualTo("# account at http://10.0.0.7:10002/devstoreaccount1");
    }

    /** The command has done its work by then, so it does not fail. */
    @Test
    void ifNoMasterAnswersTheAddressIsReported(@TempDir Path folder) {
        new Deployment(List.of(), List.of("http://10.0.0.7:10002"), null, "cleave", "a2V5").save(folder);
        AccountOption option = new AccountOption();
        new CommandLine(option).parseArgs("--dir", folder.toString());
        SignedHttp http = option.http();

        assertThat(option.place(http)).isEqualTo("# account at http://10.0.0.7:10002/cleave");
        Deployment.remove(folder);
        assertThat(option.place(http)).isEqualTo("# account at http://10.0.0.7:10002/cleave");
    }
}

package cleave.frontend.settings;

import cleave.frontend.auth.Accounts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the accounts that a configuration names. */
public final class AccountsFile {
    private AccountsFile() {}

    /** IOException if the file cannot be read, IllegalArgumentException if a line of it is wrong. */
    public static Accounts load(FrontEndConfig config) throws IOException {
        String file = config.accountsFile();
        List<String> lines = file == null ? List.of() : Files.readAllLines(Path.of(file), StandardCharsets.UTF_8);
        Accounts accounts = Accounts.parse(lines);
        return config.developmentAccount() ? accounts.withDevelopmentAccount() : accounts;
    }
}

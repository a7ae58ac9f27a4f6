package cleave.frontend.refresh;

import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.settings.FrontEndConfig;
import cleave.runtime.loop.Periodic;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accounts from the accounts file, and the development account if the settings enable it. Thread-safe.
 *
 * <p>The file is read again every second, and counts as changed when its bytes do: a mounted Secret is replaced by way of links,
 * which no file's time tells. It is used once two reads agree, because a writer may be in the middle of a line,
 * and the beginning of a key is a key, too. A file that is wrong or gone is logged once and counted, and the accounts before it
 * stay.
 */
public final class AccountsFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccountsFile.class);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final byte[] NOTHING = new byte[0];

    private final @Nullable Path file;
    private final boolean developmentAccount;
    private final FrontEndMetrics metrics;
    private final Periodic periodic = new Periodic("front-end-accounts", this::look);
    private volatile Accounts current;
    private byte[] taken;
    private byte[] seen;
    private String complaint = "";

    /** Reads the file; IOException if it cannot be read, BadSetting if a line of it is wrong. */
    public AccountsFile(FrontEndConfig config, FrontEndMetrics metrics) throws IOException {
        this.file = config.accountsFile() == null ? null : Path.of(config.accountsFile());
        this.developmentAccount = config.developmentAccount();
        this.metrics = metrics;
        this.taken = file == null ? NOTHING : Files.readAllBytes(file);
        this.seen = taken;
        try {
            this.current = parse(taken);
        } catch (IllegalArgumentException wrong) {
            throw new BadSetting("setting front-end.accounts is '" + file + "', but " + wrong.getMessage());
        }
    }

    private Accounts parse(byte[] bytes) {
        List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
        Accounts accounts = Accounts.parse(lines);
        return developmentAccount ? accounts.withDevelopmentAccount() : accounts;
    }

    /** The accounts that are served now. */
    public Accounts current() {
        return current;
    }

    /** Begins to look for changes. */
    public void start() {
        if (file != null) {
            periodic.every(PAUSE_NANOS);
        }
    }

    /** Takes the file's accounts if it has changed. One caller at a time. */
    void look() {
        try {
            byte[] bytes = file == null ? NOTHING : Files.readAllBytes(file);
            boolean rests = Arrays.equals(bytes, seen);
            seen = bytes;
            complaint = "";
            if (!rests || Arrays.equals(bytes, taken)) {
                return;
            }
            taken = bytes;
            current = parse(bytes);
            metrics.reloaded("accounts", true);
            LOG.info("accounts file reloaded file={} accounts={}", file, current.names());
        } catch (IOException | IllegalArgumentException wrong) {
            complain(wrong.toString());
        }
    }

    private void complain(String reason) {
        if (!reason.equals(complaint)) {
            complaint = reason;
            metrics.reloaded("accounts", false);
            LOG.error("cannot reload the accounts file, keeping the accounts in use file={} reason={}", file, reason);
        }
    }

    @Override
    public void close() {
        periodic.close();
    }
}

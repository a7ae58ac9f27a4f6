package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.bookkeeper.net.BookieId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs with one bookie more than a file has copies. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
final class SpareBookieIT extends OnBookies {
    @RegisterExtension
    static final SharedBookies BOOKIES = new SharedBookies(4);

    SpareBookieIT() {
        super(BOOKIES);
    }

    private static List<List<BookieId>> ensembles(BookKeeperDfs client, LedgerFile file) {
        return List.copyOf(get(engine(client).ledgers().metadata(file.ledgerId()))
                .getAllEnsembles()
                .values());
    }

    /** The number of a bookie that has the file. */
    private static int holder(BookKeeperDfs client, LedgerFile file) {
        String id = ensembles(client, file).get(0).get(0).getId();
        return Integer.parseInt(id.substring(1));
    }

    private static void appendUntilReplaced(BookKeeperDfs writer, LedgerFile file) {
        until(() -> {
            get(file.append(text("d")));
            return ensembles(writer, file).size() > 1;
        });
    }

    @Test
    void aBookieThatEndsIsReplacedInOpenLedgers() {
        BookKeeperDfs writer = client();
        LedgerFile file = create(writer, "log");
        get(file.append(text("abc")));
        int failed = holder(writer, file);

        bookies().stopBookie(failed);
        try {
            appendUntilReplaced(writer, file);
            assertThat(ensembles(writer, file).get(1))
                    .hasSize(3)
                    .extracting(BookieId::getId)
                    .doesNotContain("b" + failed);
            assertThat(get(client().seal("log"))).isEqualTo(file.acknowledged());
        } finally {
            bookies().startBookie(failed);
        }
    }

    /** It answers nothing until its time has run out; nobody waits for that. */
    @Test
    void aBookieThatStandsStillIsReplacedInOpenLedgers() {
        BookKeeperDfs writer = client();
        LedgerFile file = create(writer, "log");
        get(file.append(text("abc")));
        int failed = holder(writer, file);

        bookies().suspend(failed);
        try {
            appendUntilReplaced(writer, file);
            assertThat(get(client().seal("log"))).isEqualTo(file.acknowledged());
        } finally {
            bookies().resume(failed);
        }
    }
}

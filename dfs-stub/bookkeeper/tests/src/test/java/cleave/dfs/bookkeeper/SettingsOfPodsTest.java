package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage;
import org.apache.bookkeeper.bookie.storage.ldb.KeyValueStorageRocksDB;
import org.apache.bookkeeper.conf.AbstractConfiguration;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** BookKeeper ignores settings that it does not know, so a wrong name would mean its default. */
class SettingsOfPodsTest {
    private static final Path COMPONENT = Path.of("..", "..", "..", "deploy", "kubernetes", "components", "bookkeeper");
    /** Cleave's own. */
    private static final Set<String> OTHERS = Set.of("admin.listen");

    @ParameterizedTest
    @ValueSource(strings = {"bookie.properties", "autorecovery.properties"})
    void areOnesThatBookKeeperKnows(String file) throws IOException, IllegalAccessException {
        Properties settings = new Properties();
        try (Reader reader = Files.newBufferedReader(COMPONENT.resolve(file))) {
            settings.load(reader);
        }
        TreeSet<String> unknown = new TreeSet<>(settings.stringPropertyNames());
        assertThat(unknown).hasSizeGreaterThan(3);
        unknown.removeAll(OTHERS);
        unknown.removeAll(known());
        assertThat(unknown).isEmpty();
    }

    private static Set<String> known() throws IllegalAccessException {
        TreeSet<String> known = new TreeSet<>();
        for (Class<?> type : List.of(
                AbstractConfiguration.class,
                ServerConfiguration.class,
                DbLedgerStorage.class,
                KeyValueStorageRocksDB.class)) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
                    field.setAccessible(true);
                    known.add(String.valueOf(field.get(null)));
                }
            }
        }
        return known;
    }
}

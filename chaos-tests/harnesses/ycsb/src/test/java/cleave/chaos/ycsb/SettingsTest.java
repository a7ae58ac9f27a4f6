package cleave.chaos.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.client.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    private static final String STRING =
            "AccountName=other;AccountKey=c2VjcmV0;TableEndpoint=http://127.0.0.1:1234/other";

    @TempDir
    private Path dir;

    private static Settings of(Map<String, String> environment, String... namesAndValues) {
        Properties properties = new Properties();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.setProperty(namesAndValues[i], namesAndValues[i + 1]);
        }
        return Settings.of(properties, environment);
    }

    private static AbstractThrowableAssert<?, ?> refused(String... namesAndValues) {
        return assertThatThrownBy(() -> of(Map.of(), namesAndValues)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void withoutPropertiesItIsTheDevelopmentAccountOfThisMachine() {
        Settings settings = of(Map.of(), "recordcount", "5");

        assertThat(settings.endpoint()).hasToString("http://127.0.0.1:10002/devstoreaccount1");
        assertThat(settings.endpoint().sharedKey().key()).isEqualTo(Endpoint.DEVELOPMENT_KEY);
        assertThat(settings.table()).isEqualTo("usertable");
        assertThat(settings.partitions()).isEqualTo(new Partitions(100));
        assertThat(settings.insertion()).isEqualTo(Insertion.INSERT);
        assertThat(settings.patience()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void theConnectionStringComesFromAFileOrTheEnvironment() throws IOException {
        Path file = Files.writeString(dir.resolve("connection.txt"), STRING + "\n");

        assertThat(of(Map.of(), "cleave.connection-file", file.toString()).endpoint())
                .hasToString("http://127.0.0.1:1234/other");
        assertThat(of(Map.of("CLEAVE_CONNECTION_STRING", STRING)).endpoint())
                .hasToString("http://127.0.0.1:1234/other");
        assertThat(of(Map.of("CLEAVE_CONNECTION_STRING", STRING), "cleave.endpoint", "http://localhost:7")
                        .endpoint())
                .hasToString("http://localhost:7/devstoreaccount1");
    }

    @Test
    void whatIsWrongIsNamedWithWhatIsRight() {
        refused("cleave.partition", "3")
                .hasMessage("there is no property cleave.partition; there are cleave.connection-file, cleave.endpoint,"
                        + " cleave.insert, cleave.partitions, cleave.timeout-seconds");
        refused("cleave.partitions", "many")
                .hasMessage("cleave.partitions=many is wrong; it must be a whole number from 0 to 1000000");
        refused("cleave.timeout-seconds", "0")
                .hasMessage("cleave.timeout-seconds=0 is wrong; it must be a whole number from 1 to 86400");
        refused("cleave.insert", "merge").hasMessage("cleave.insert=merge is wrong; it must be insert or upsert");
        refused("cleave.endpoint", "localhost:10002").hasMessageStartingWith("cleave.endpoint=localhost:10002 is no");
        refused("cleave.endpoint", "http://a:1", "cleave.connection-file", "b")
                .hasMessage("cleave.endpoint and cleave.connection-file name two endpoints; give one of them");
        refused("cleave.connection-file", "/nowhere").hasMessageContaining("/nowhere");
    }

    @Test
    void aWrongConnectionStringIsNotRepeated() {
        assertThatThrownBy(() -> of(Map.of("CLEAVE_CONNECTION_STRING", "AccountKey=c2VjcmV0")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("CLEAVE_CONNECTION_STRING: ")
                .hasMessageNotContaining("c2VjcmV0");
    }
}

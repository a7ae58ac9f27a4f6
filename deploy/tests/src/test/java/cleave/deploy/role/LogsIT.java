package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class LogsIT {
    @TempDir
    private Path dir;

    @Test
    void inJsonEveryLineIsAnObject() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "cleave.deploy.Cleave",
                        "dfs",
                        "--log-format",
                        "json",
                        "--set",
                        "dfs-node.listen=127.0.0.1:0",
                        "--set",
                        "dfs-node.dir=" + dir.resolve("dfs"))
                .start();
        try (BufferedReader log = process.errorReader()) {
            String message;
            do {
                Map<String, String> line = members(log.readLine());
                assertThat(Long.parseLong(line.get("timestamp"))).isPositive();
                assertThat(line.get("level")).isIn("INFO", "WARN");
                assertThat(line.get("loggerName")).isNotEmpty();
                message = String.valueOf(line.get("formattedMessage"));
            } while (!message.startsWith("role ready name=dfs"));
            process.toHandle().destroy();
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** The members of an object that are no objects or arrays themselves. */
    private static Map<String, String> members(String json) throws IOException {
        Map<String, String> members = new HashMap<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            assertThat(parser.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                if (parser.nextToken().isStructStart()) {
                    parser.skipChildren();
                } else {
                    members.put(name, parser.getText());
                }
            }
            assertThat(parser.nextToken()).isNull();
        }
        return members;
    }
}

package cleave.chaos.bench.empty;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CannedAnswersTest {
    @Test
    void anAnswerIsTheSameFromItsFile(@TempDir Path dir) throws IOException {
        byte[] body = "{\"Text\":\"a = b: ü\\n\"}".getBytes(StandardCharsets.UTF_8);
        Map<String, String> headers = Map.of("etag", "W/\"datetime'2026'\"", "content-length", "22");
        Path file = dir.resolve("answers");

        new CannedAnswers(Map.of("GET", new Answer(200, headers, body), "POST", new Answer(204, Map.of(), new byte[0])))
                .write(file);

        Map<String, Answer> read = CannedAnswers.read(file).byMethod();
        assertThat(read).containsOnlyKeys("GET", "POST");
        Answer got = Objects.requireNonNull(read.get("GET"));
        assertThat(got.status()).isEqualTo(200);
        assertThat(got.headers()).isEqualTo(headers);
        assertThat(got.body()).isEqualTo(body);
        assertThat(Objects.requireNonNull(read.get("POST")).body()).isEmpty();
    }
}

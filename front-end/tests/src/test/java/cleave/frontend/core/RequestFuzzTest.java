package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.fuzz.Fuzz;
import cleave.frontend.request.Answer;
import org.junit.jupiter.api.Test;

/** Whole requests, rightly signed and wrong in everything else, through the core of a front end before a fake cluster. */
class RequestFuzzTest {
    private final CoreClient client = new CoreClient();

    /** Whatever is sent is answered, and never by a fault. */
    @Test
    void everyRequestIsAnsweredAndNoneBreaksTheServer() {
        long table = client.table("Orders");
        Fuzz.of("request", 4000).run(600, text -> {
            client.entity(table, "p", "a", 1);
            Answer answer = answer(text);
            assertThat(answer.status()).isBetween(200, 501).isNotEqualTo(500);
            assertThat(client.metric("cleave_front_end_faults_total")).isZero();
            String type = answer.header("Content-Type");
            if (answer.status() >= 400) {
                assertThat(type)
                        .as("type of an error")
                        .isNotNull()
                        .containsAnyOf("application/json", "application/xml");
                assertThat(CoreClient.text(answer)).contains("RequestId:request-");
            }
            return answer.status() + String.valueOf(type) + code(answer);
        });
    }

    private static String code(Answer answer) {
        String text = CoreClient.text(answer);
        int at = text.indexOf("\"code\":");
        return at < 0 ? "" : text.substring(at, text.indexOf(',', at));
    }

    /** The first line is a verb and a target behind the account, headers follow, then an empty line, then the body. */
    private Answer answer(String text) {
        int end = text.indexOf("\r\n\r\n");
        String[] lines = (end < 0 ? text : text.substring(0, end)).split("\r\n", -1);
        String body = end < 0 ? "" : text.substring(end + 4);
        int space = lines[0].indexOf(' ');
        String verb = space < 0 ? "GET" : lines[0].substring(0, space);
        SignedHeaders headers = new SignedHeaders().with("Host", "127.0.0.1:10002");
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                headers.with(
                        lines[i].substring(0, colon),
                        lines[i].substring(colon + 1).strip());
            }
        }
        return client.ask(verb, lines[0].substring(space + 1), headers, body);
    }
}

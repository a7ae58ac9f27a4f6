package cleave.server;

import cleave.transcripts.Transcripts;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/** Transcripts of partition servers, in the words of {@link ServerScript}: answers, and what changes on servers, masters and the DFS. */
class ServerTranscriptTest {
    @TestFactory
    Stream<DynamicNode> servers() throws IOException {
        return Transcripts.of("server", ServerScript::new);
    }
}

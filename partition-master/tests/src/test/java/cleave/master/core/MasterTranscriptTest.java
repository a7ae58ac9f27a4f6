package cleave.master.core;

import cleave.transcripts.Transcripts;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/** The behaviour of masters, in the words of {@link MasterScript}: commands, orders and calls, as they come. */
class MasterTranscriptTest {
    @TestFactory
    Stream<DynamicNode> masters() throws IOException {
        return Transcripts.of("master", MasterScript::new);
    }
}

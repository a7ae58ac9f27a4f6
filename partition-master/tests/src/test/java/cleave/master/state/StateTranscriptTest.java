package cleave.master.state;

import cleave.transcripts.Transcripts;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/** The masters' state, in the words of {@link StateScript}: commands, answers, and what each changes. */
class StateTranscriptTest {
    @TestFactory
    Stream<DynamicNode> states() throws IOException {
        return Transcripts.of("state", StateScript::new);
    }
}

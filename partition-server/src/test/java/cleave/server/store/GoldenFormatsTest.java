package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.formats.GoldenFormat;
import cleave.server.state.LogPosition;
import org.junit.jupiter.api.Test;

/** What earlier versions stored beside the entities is read, and is still written as long as its format's version stays. */
final class GoldenFormatsTest {
    @Test
    void positionsOfStores() {
        GoldenFormat golden = GoldenFormat.of("store-position", 1);
        LogPosition position = new LogPosition("ranges/17.0/42-s1.9-log-1", 123_456_789_012L, 4_711);
        golden.assertIsWritten("position", PositionCodec.encode(position));
        assertThat(PositionCodec.decode(golden.file("position"))).isEqualTo(position);
    }
}

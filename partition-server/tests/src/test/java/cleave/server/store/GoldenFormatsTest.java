package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.formats.GoldenFormat;
import cleave.model.UnknownFormat;
import cleave.server.state.LogPosition;
import org.junit.jupiter.api.Test;

/** The records that earlier versions stored beside the entities are read, and are still written as long as their format's version stays. */
final class GoldenFormatsTest {
    @Test
    void positionsOfStores() {
        GoldenFormat golden = GoldenFormat.of("store-position", 1);
        LogPosition position = new LogPosition("ranges/17.0/42-s1.9-log-1", 123_456_789_012L, 4_711);
        golden.assertIsWritten("position", PositionCodec.encode(position));
        assertThat(PositionCodec.decode(golden.file("position"))).isEqualTo(position);
    }

    @Test
    void aPositionOfANewerFormatIsUnknownAndNotDamaged() {
        byte[] position = PositionCodec.encode(new LogPosition("log", 5, 1));
        position[0] = 1;
        assertThatThrownBy(() -> PositionCodec.decode(position))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("the position of a store has format 1");
        assertThatThrownBy(() -> PositionCodec.decode(new byte[7])).isNotInstanceOf(UnknownFormat.class);
    }
}

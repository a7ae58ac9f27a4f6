package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.client.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The entities that labs store. */
class LabEntityTest {
    @Test
    void whatIsWrittenIsRead() throws IOException {
        LabEntity entity = LabEntity.of("Sales", "it's")
                .with("Text", "\"a\" <b>")
                .with("Number", 7)
                .with("Long", 1L << 40)
                .with("Double", 0.5)
                .with("Claim", true)
                .with("Bytes", new byte[] {1, 2, 3});
        LabEntity read = LabEntity.read(JsonText.object(entity.json().getBytes(StandardCharsets.UTF_8)), "W/\"x\"");

        assertThat(read.partition() + "/" + read.row()).isEqualTo("Sales/it's");
        assertThat(read.properties()).usingRecursiveComparison().isEqualTo(entity.properties());
        assertThat(read.etag()).isEqualTo("W/\"x\"");
    }

    @Test
    void absentPropertyIsNamed() {
        assertThatThrownBy(() -> LabEntity.of("Sales", "1").bytes("Photo"))
                .hasMessage("Sales/1 has no binary property Photo");
    }

    @Test
    void storedBytesAreThoseOfThePriceList() {
        LabEntity entity = LabEntity.of("ab", "c").with("Text", "xyz").with("Number", 1);

        assertThat(entity.storedBytes()).isEqualTo(4 + 2 * 3 + (8 + 2 * 4 + 4 + 2 * 3) + (8 + 2 * 6 + 4));
    }

    @Test
    void transactionsAreCutAtAHundredAndAtPartitions() {
        List<LabWrite> writes = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            writes.add(LabWrite.insert(LabEntity.of("Sales", "e" + i)));
            writes.add(i % 50, LabWrite.insert(LabEntity.of("Marketing", "e" + i)));
        }

        assertThat(LabClient.batches(writes).stream().map(List::size)).containsExactly(100, 50, 100, 50);
    }
}

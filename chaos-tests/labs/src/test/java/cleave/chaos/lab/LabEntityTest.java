package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.lab.data.Employee;
import cleave.chaos.lab.data.Employees;
import cleave.client.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What labs store, and the data that they draw. */
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
        assertThat(read.without("Bytes").properties())
                .isEqualTo(entity.without("Bytes").properties());
        assertThat(read.bytes("Bytes")).containsExactly(1, 2, 3);
        assertThat(read.etag()).isEqualTo("W/\"x\"");
    }

    @Test
    void absentPropertyIsNamed() {
        assertThatThrownBy(() -> LabEntity.of("Sales", "1").text("LastName"))
                .hasMessage("Sales/1 has no string LastName");
    }

    @Test
    void storedBytesAreThoseOfThePriceList() {
        LabEntity entity = LabEntity.of("ab", "c").with("Text", "xyz").with("Number", 1);

        assertThat(entity.storedBytes()).isEqualTo(4 + 2 * 3 + (8 + 2 * 4 + 4 + 2 * 3) + (8 + 2 * 6 + 4));
    }

    @Test
    void transactionsAreCutAtAHundredAndAtPartitions() {
        List<LabEntity> entities =
                Employees.of("Sales", 150).stream().map(Employee::entity).toList();
        List<LabEntity> both = new ArrayList<>(entities);
        both.add(LabEntity.of("Marketing", "1"));

        assertThat(LabClient.batches(both).stream().map(List::size)).containsExactly(100, 50, 1);
    }

    @Test
    void dataIsThatOfTheGuides() {
        List<Employee> sales = Employees.of("Sales", 400);

        assertThat(sales.get(222).email()).isEqualTo("jonesj@contoso.com");
        assertThat(sales.stream().map(Employee::email).distinct()).hasSize(400);
        assertThat(sales).isEqualTo(Employees.of("Sales", 400));
    }
}

package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.entity;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Endpoint;
import com.azure.core.http.rest.PagedResponse;
import com.azure.core.util.Context;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionType;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queries, by the Java SDK, over one table of 2,500 entities in 25 partitions. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JavaQueriesContract {
    private static final int PARTITIONS = 25;
    private static final int ROWS = 100;

    private final TableClient table;

    JavaQueriesContract(Endpoint endpoint) {
        table = JavaSdk.of(endpoint).newTable();
    }

    @BeforeAll
    void load() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<TableTransactionAction> inserts = new ArrayList<>();
            for (int row = 0; row < ROWS; row++) {
                inserts.add(new TableTransactionAction(TableTransactionActionType.CREATE, sample(partition, row)));
            }
            table.submitTransaction(inserts);
        }
    }

    private static TableEntity sample(int partition, int row) {
        TableEntity entity = entity(partitionKey(partition), rowKey(row))
                .addProperty("Number", row)
                .addProperty("Big", 1L << 40 | row)
                .addProperty("Share", row / 100.0)
                .addProperty("Even", row % 2 == 0)
                .addProperty("Name", "name-" + row)
                .addProperty("Day", OffsetDateTime.parse("2024-01-01T00:00:00Z").plusDays(row))
                .addProperty("Id", new UUID(7, row))
                .addProperty("Bytes", new byte[] {(byte) row});
        return row == 0 ? entity.addProperty("Rare", "it's rare") : entity;
    }

    private static String partitionKey(int partition) {
        return String.format(Locale.ROOT, "p%02d", partition);
    }

    private static String rowKey(int row) {
        return String.format(Locale.ROOT, "r%03d", row);
    }

    @Test
    void everyEntityIsReadOnceInOrderByPages() {
        List<String> keys = new ArrayList<>();
        List<Integer> pages = new ArrayList<>();
        for (PagedResponse<TableEntity> page : table.listEntities().iterableByPage()) {
            pages.add(page.getValue().size());
            page.getValue().forEach(entity -> keys.add(entity.getPartitionKey() + "/" + entity.getRowKey()));
        }
        List<String> expected = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int row = 0; row < ROWS; row++) {
                expected.add(partitionKey(partition) + "/" + rowKey(row));
            }
        }
        assertThat(keys).isEqualTo(expected);
        assertThat(pages).hasSizeGreaterThanOrEqualTo(3).allMatch(size -> size <= 1000);
    }

    @Test
    void pagesAreAsSmallAsAskedFor() {
        List<Integer> pages = new ArrayList<>();
        ListEntitiesOptions options =
                new ListEntitiesOptions().setFilter("PartitionKey eq 'p07'").setTop(30);
        for (PagedResponse<TableEntity> page :
                table.listEntities(options, null, Context.NONE).iterableByPage()) {
            pages.add(page.getValue().size());
        }
        assertThat(pages).startsWith(30, 30, 30, 10).allMatch(size -> size <= 30);
        assertThat(pages.stream().mapToInt(Integer::intValue).sum()).isEqualTo(ROWS);
    }

    /** A filter of each type, as the SDK encodes it; {@link FilterContract} has what they mean. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PartitionKey eq 'p07' and RowKey eq 'r050'                            | 1
            PartitionKey eq 'p07'                                                 | 100
            PartitionKey eq 'p07' and RowKey ge 'r010' and RowKey lt 'r020'       | 10
            PartitionKey ge 'p05' and PartitionKey lt 'p08'                       | 300
            PartitionKey gt 'p23'                                                 | 100
            5 eq Number                                                           | 25
            Number ge 98                                                          | 50
            Big eq 1099511627781L                                                 | 25
            Share lt 0.02                                                         | 50
            Even                                                                  | 1250
            Name eq 'name-7'                                                      | 25
            Day ge datetime'2024-04-09T00:00:00Z'                                 | 25
            Id eq guid'00000000-0000-0007-0000-000000000005'                      | 25
            Bytes eq X'05'                                                        | 25
            Rare eq 'it''s rare'                                                  | 25
            PartitionKey eq 'p01' and (Number eq 1 or Number eq 2) and not Even   | 1
            PartitionKey eq 'p01' or PartitionKey eq 'p03'                        | 200
            PartitionKey eq 'p01' and Number eq 1 or PartitionKey eq 'p02' and Number eq 2 | 2
            """)
    void filtersSelectWhatTheyShould(String filter, int expected) {
        assertThat(table.listEntities(new ListEntitiesOptions().setFilter(filter), null, Context.NONE).stream()
                        .count())
                .isEqualTo(expected);
    }

    @Test
    void aProjectionHoldsOnlyWhatWasSelected() {
        ListEntitiesOptions options = new ListEntitiesOptions()
                .setFilter("PartitionKey eq 'p01' and Number lt 3")
                .setSelect(List.of("PartitionKey", "RowKey", "Name", "Rare"));
        List<TableEntity> found =
                table.listEntities(options, null, Context.NONE).stream().toList();
        assertThat(found).hasSize(3);
        assertThat(found.get(0).getProperties())
                .containsEntry("Name", "name-0")
                .containsEntry("Rare", "it's rare")
                .doesNotContainKey("Number");
        assertThat(found.get(1).getProperties().get("Rare")).isNull();
        assertThat(found.get(1).getRowKey()).isEqualTo("r001");
    }
}

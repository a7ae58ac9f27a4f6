package cleave.chaos.conformance;

import static cleave.chaos.conformance.LegacySdk.entity;
import static cleave.chaos.conformance.LegacySdk.failure;
import static cleave.chaos.conformance.LegacySdk.read;
import static com.microsoft.azure.storage.table.TableQuery.generateFilterCondition;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Endpoint;
import com.microsoft.azure.storage.ResultContinuation;
import com.microsoft.azure.storage.ResultSegment;
import com.microsoft.azure.storage.StorageException;
import com.microsoft.azure.storage.table.CloudTable;
import com.microsoft.azure.storage.table.DynamicTableEntity;
import com.microsoft.azure.storage.table.EntityProperty;
import com.microsoft.azure.storage.table.TableBatchOperation;
import com.microsoft.azure.storage.table.TableOperation;
import com.microsoft.azure.storage.table.TablePayloadFormat;
import com.microsoft.azure.storage.table.TableQuery;
import com.microsoft.azure.storage.table.TableRequestOptions;
import com.microsoft.azure.storage.table.TableResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables, entities, queries and transactions by the Java SDK of old programs, which merges by POST, signs in full, sends its own times and
 * reads answers to transactions in its own, strict way.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LegacyJavaContract {
    private static final Failure CHANGED = new Failure(412, "UpdateConditionNotSatisfied");
    private static final Failure MISSING = new Failure(404, "ResourceNotFound");

    private final LegacySdk sdk;
    private final CloudTable table;

    LegacyJavaContract(Endpoint endpoint) {
        sdk = LegacySdk.of(endpoint);
        table = sdk.newTable();
    }

    // Tables.

    @Test
    void aTableIsThereBetweenItsCreationAndItsDeletion() throws StorageException {
        CloudTable own = sdk.table(JavaSdk.newTableName());
        assertThat(own.exists()).isFalse();
        assertThat(own.createIfNotExists()).isTrue();
        assertThat(own.exists()).isTrue();
        assertThat(own.createIfNotExists()).isFalse();
        assertThat(failure(own::create)).isEqualTo(new Failure(409, "TableAlreadyExists"));
        assertThat(own.deleteIfExists()).isTrue();
        assertThat(own.exists()).isFalse();
        assertThat(own.deleteIfExists()).isFalse();
        assertThat(failure(own::delete)).isEqualTo(MISSING);
    }

    @Test
    void tablesAreListedByPrefixAndByPages() throws StorageException {
        String prefix = JavaSdk.newTableName().substring(0, 20);
        List<String> names = List.of(prefix + "a", prefix + "b", prefix + "c", prefix + "d", prefix + "e");
        for (String name : names) {
            sdk.table(name).create();
        }
        assertThat(sdk.client().listTables(prefix)).containsExactlyElementsOf(names);
        List<String> found = new ArrayList<>();
        ResultContinuation token = null;
        do {
            ResultSegment<String> page = sdk.client().listTablesSegmented(prefix, 2, token, null, null);
            assertThat(page.getResults()).hasSizeLessThanOrEqualTo(2);
            found.addAll(page.getResults());
            token = page.getContinuationToken();
        } while (token != null);
        assertThat(found).isEqualTo(names);
    }

    // Entities.

    @ParameterizedTest
    @EnumSource(names = {"Json", "JsonFullMetadata"})
    void everyTypeComesBackAsItWentIn(TablePayloadFormat format) throws StorageException {
        UUID guid = UUID.fromString("a455c695-df98-5678-aaaa-81d3367e5a34");
        Map<String, EntityProperty> properties = Map.of(
                "String", new EntityProperty("Zürich 東京 \uD83D\uDE00 \"q\" \\"),
                "Empty", new EntityProperty(""),
                "Boolean", new EntityProperty(true),
                "Int32", new EntityProperty(Integer.MIN_VALUE),
                "Int64", new EntityProperty(Long.MAX_VALUE),
                "Double", new EntityProperty(1.5e-300),
                "Whole", new EntityProperty(3.0),
                "Date", new EntityProperty(Date.from(Instant.parse("2024-05-01T08:00:00.123Z"))),
                "Guid", new EntityProperty(guid),
                "Binary", new EntityProperty(new byte[] {0, 1, -1, 127, -128}));
        TableRequestOptions options = new TableRequestOptions();
        options.setTablePayloadFormat(format);
        table.execute(TableOperation.insertOrReplace(entity("types", format.name(), properties)), options, null);
        TableOperation retrieve = TableOperation.retrieve("types", format.name(), DynamicTableEntity.class);
        DynamicTableEntity read = table.execute(retrieve, options, null).getResultAsType();
        assertThat(read.getProperties()).containsOnlyKeys(properties.keySet());
        properties.forEach((name, expected) -> {
            EntityProperty property =
                    Objects.requireNonNull(read.getProperties().get(name));
            assertThat(property.getEdmType()).as(name).isEqualTo(expected.getEdmType());
            assertThat(property.getValueAsString()).as(name).isEqualTo(expected.getValueAsString());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "it's", "''", "100%", "%25", "a b", "a+b", "(x,y=z)", "Zürich", "東京", "\uD83D\uDE00"})
    void keysComeBackAsTheyWentIn(String key) throws StorageException {
        table.execute(TableOperation.insertOrReplace(entity(key, key, "A", 1)));
        table.execute(TableOperation.merge(entity(key, key, "B", 2)));
        DynamicTableEntity read = Objects.requireNonNull(read(table, key, key));
        assertThat(List.of(read.getPartitionKey(), read.getRowKey())).containsExactly(key, key);
        assertThat(read.getProperties()).containsOnlyKeys("A", "B");
        table.execute(TableOperation.delete(entity(key, key, "A", 1)));
        assertThat(read(table, key, key)).isNull();
    }

    @Test
    void anInsertTellsTheEtagAndEchoesWhatItStored() throws StorageException {
        TableResult quiet = table.execute(TableOperation.insert(entity("insert", "quiet", "A", 1)));
        assertThat(quiet.getHttpStatusCode()).isEqualTo(204);
        assertThat(quiet.getEtag())
                .isEqualTo(
                        Objects.requireNonNull(read(table, "insert", "quiet")).getEtag());
        TableResult loud = table.execute(TableOperation.insert(entity("insert", "loud", "A", 1), true));
        assertThat(loud.getHttpStatusCode()).isEqualTo(201);
        DynamicTableEntity echoed = loud.getResultAsType();
        assertThat(echoed.getProperties()).containsOnlyKeys("A");
        assertThat(echoed.getTimestamp()).isAfter(Date.from(Instant.parse("2020-01-01T00:00:00Z")));
        assertThat(failure(() -> table.execute(TableOperation.insert(entity("insert", "loud", "A", 1)))))
                .isEqualTo(new Failure(409, "EntityAlreadyExists"));
    }

    @Test
    void updatesNeedAnEntityAndUpsertsDoNot() throws StorageException {
        assertThat(failure(() -> table.execute(TableOperation.merge(entity("up", "m", "A", 1)))))
                .isEqualTo(MISSING);
        assertThat(failure(() -> table.execute(TableOperation.replace(entity("up", "r", "A", 1)))))
                .isEqualTo(MISSING);
        table.execute(TableOperation.insertOrMerge(entity("up", "m", "A", 1)));
        table.execute(TableOperation.insertOrMerge(entity("up", "m", "B", 1)));
        table.execute(TableOperation.insertOrReplace(entity("up", "r", "A", 1)));
        table.execute(TableOperation.insertOrReplace(entity("up", "r", "B", 1)));
        assertThat(Objects.requireNonNull(read(table, "up", "m")).getProperties())
                .containsOnlyKeys("A", "B");
        assertThat(Objects.requireNonNull(read(table, "up", "r")).getProperties())
                .containsOnlyKeys("B");
    }

    @Test
    void conditionsHoldForTheCurrentEtagAlone() throws StorageException {
        table.execute(TableOperation.insert(entity("etag", "r", "A", 1)));
        DynamicTableEntity first = Objects.requireNonNull(read(table, "etag", "r"));
        DynamicTableEntity second = Objects.requireNonNull(read(table, "etag", "r"));
        table.execute(TableOperation.merge(first));
        assertThat(failure(() -> table.execute(TableOperation.merge(second)))).isEqualTo(CHANGED);
        assertThat(failure(() -> table.execute(TableOperation.replace(second)))).isEqualTo(CHANGED);
        assertThat(failure(() -> table.execute(TableOperation.delete(second)))).isEqualTo(CHANGED);
        table.execute(TableOperation.replace(first));
        table.execute(TableOperation.delete(first));
        assertThat(read(table, "etag", "r")).isNull();
    }

    // Queries.

    @Test
    void queriesByEveryTypeAndByPages() throws StorageException {
        CloudTable own = sdk.newTable();
        UUID guid = new UUID(0, 7);
        Instant date = Instant.parse("2024-01-07T00:00:00Z");
        for (int partition = 0; partition < 3; partition++) {
            TableBatchOperation inserts = new TableBatchOperation();
            for (int row = 0; row < 100; row++) {
                inserts.insert(entity(
                        "p" + partition,
                        String.format("r%03d", row),
                        Map.of(
                                "Number", new EntityProperty(row),
                                "Big", new EntityProperty(row + (1L << 40)),
                                "Share", new EntityProperty(row / 100.0),
                                "Even", new EntityProperty(row % 2 == 0),
                                "Id", new EntityProperty(new UUID(0, row)),
                                "Day", new EntityProperty(Date.from(date.plus(Duration.ofDays(row - 7)))),
                                "Bytes", new EntityProperty(new byte[] {(byte) row}))));
            }
            own.execute(inserts);
        }
        assertThat(rows(own, generateFilterCondition("PartitionKey", "eq", "p1")))
                .hasSize(100);
        assertThat(rows(own, generateFilterCondition("Number", "lt", 5))).hasSize(15);
        assertThat(rows(own, generateFilterCondition("Big", "ge", (1L << 40) + 98)))
                .hasSize(6);
        assertThat(rows(own, generateFilterCondition("Share", "le", 0.01))).hasSize(6);
        assertThat(rows(own, generateFilterCondition("Even", "eq", true))).hasSize(150);
        assertThat(rows(own, generateFilterCondition("Id", "eq", guid))).hasSize(3);
        assertThat(rows(own, generateFilterCondition("Day", "eq", Date.from(date))))
                .hasSize(3);
        assertThat(rows(own, generateFilterCondition("Bytes", "eq", new byte[] {7})))
                .hasSize(3);
        String both = TableQuery.combineFilters(
                generateFilterCondition("PartitionKey", "eq", "p2"),
                "and",
                generateFilterCondition("Number", "gt", 96));
        assertThat(rows(own, both)).containsExactly("p2/r097", "p2/r098", "p2/r099");
        assertThat(pages(own, 70)).startsWith(70, 70, 70, 70, 20);
        TableQuery<DynamicTableEntity> some =
                TableQuery.from(DynamicTableEntity.class).where(both).select(new String[] {"Number", "None"});
        assertThat(own.execute(some)).allSatisfy(entity -> {
            assertThat(entity.getProperties()).containsKey("Number").doesNotContainKey("Big");
        });
    }

    private static List<String> rows(CloudTable of, String filter) {
        List<String> rows = new ArrayList<>();
        for (DynamicTableEntity entity :
                of.execute(TableQuery.from(DynamicTableEntity.class).where(filter))) {
            rows.add(entity.getPartitionKey() + "/" + entity.getRowKey());
        }
        return rows;
    }

    private static List<Integer> pages(CloudTable of, int take) throws StorageException {
        List<Integer> pages = new ArrayList<>();
        ResultContinuation token = null;
        do {
            ResultSegment<DynamicTableEntity> page = of.executeSegmented(
                    TableQuery.from(DynamicTableEntity.class).take(take), token);
            pages.add(page.getLength());
            token = page.getContinuationToken();
        } while (token != null);
        return pages;
    }

    // Transactions.

    @Test
    void everyKindOfOperationCanBePartOfATransaction() throws StorageException {
        for (String row : List.of("merge", "replace", "delete", "upsert")) {
            table.execute(TableOperation.insert(entity("kinds", row, "A", 1)));
        }
        TableBatchOperation all = new TableBatchOperation();
        all.insert(entity("kinds", "quiet", "B", 2));
        all.insert(entity("kinds", "loud", "B", 2), true);
        all.merge(entity("kinds", "merge", "B", 2));
        all.replace(entity("kinds", "replace", "B", 2));
        all.insertOrMerge(entity("kinds", "upsert", "B", 2));
        all.insertOrReplace(entity("kinds", "fresh", "B", 2));
        all.delete(entity("kinds", "delete", "A", 1));
        List<TableResult> results = table.execute(all);
        assertThat(results)
                .extracting(TableResult::getHttpStatusCode)
                .containsExactly(204, 201, 204, 204, 204, 204, 204);
        assertThat(results.get(0).getEtag()).startsWith("W/\"datetime'");
        DynamicTableEntity echoed = results.get(1).getResultAsType();
        assertThat(echoed.getProperties()).containsOnlyKeys("B");
        assertThat(rows(table, generateFilterCondition("PartitionKey", "eq", "kinds")))
                .containsExactly(
                        "kinds/fresh", "kinds/loud", "kinds/merge", "kinds/quiet", "kinds/replace", "kinds/upsert");
        assertThat(Objects.requireNonNull(read(table, "kinds", "merge")).getProperties())
                .containsOnlyKeys("A", "B");
        assertThat(Objects.requireNonNull(read(table, "kinds", "replace")).getProperties())
                .containsOnlyKeys("B");
    }

    @Test
    void aTransactionMayBeOneRead() throws StorageException {
        table.execute(TableOperation.insert(entity("one", "r", "A", 1)));
        TableBatchOperation found = new TableBatchOperation();
        found.retrieve("one", "r", DynamicTableEntity.class);
        DynamicTableEntity read = table.execute(found).get(0).getResultAsType();
        assertThat(read.getProperties()).containsOnlyKeys("A");
        TableBatchOperation missing = new TableBatchOperation();
        missing.retrieve("one", "none", DynamicTableEntity.class);
        assertThat(table.execute(missing).get(0).getHttpStatusCode()).isEqualTo(404);
    }

    @Test
    void aFailedTransactionChangesNothing() throws StorageException {
        table.execute(TableOperation.insert(entity("failed", "2", "A", 1)));
        TableBatchOperation inserts = new TableBatchOperation();
        for (int row = 0; row < 4; row++) {
            inserts.insert(entity("failed", String.valueOf(row), "A", 1));
        }
        assertThat(failure(() -> table.execute(inserts))).isEqualTo(new Failure(409, "EntityAlreadyExists"));
        assertThat(rows(table, generateFilterCondition("PartitionKey", "eq", "failed")))
                .containsExactly("failed/2");
    }
}

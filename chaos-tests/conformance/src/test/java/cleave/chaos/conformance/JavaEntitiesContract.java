package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.entity;
import static cleave.chaos.conformance.JavaSdk.failure;
import static com.azure.data.tables.models.TableEntityUpdateMode.MERGE;
import static com.azure.data.tables.models.TableEntityUpdateMode.REPLACE;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import com.azure.core.http.rest.Response;
import com.azure.core.util.Context;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.TableEntity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single entities, by the Java SDK. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JavaEntitiesContract {
    private static final Failure EXISTS = new Failure(409, "EntityAlreadyExists");
    private static final Failure MISSING = new Failure(404, "ResourceNotFound");
    private static final Failure CHANGED = new Failure(412, "UpdateConditionNotSatisfied");

    private final Endpoint endpoint;
    private final TableClient table;

    JavaEntitiesContract(Endpoint endpoint) {
        this.endpoint = endpoint;
        table = JavaSdk.of(endpoint).newTable();
    }

    @Test
    void everyEdmTypeComesBackAsItWentIn() {
        byte[] binary = {0, 1, -1, 127, -128};
        OffsetDateTime date = OffsetDateTime.parse("2024-05-01T08:00:00.1234567Z");
        UUID guid = UUID.fromString("a455c695-df98-5678-aaaa-81d3367e5a34");
        table.createEntity(entity("types", "all")
                .addProperty("String", "Zürich 東京 \uD83D\uDE00 \"quoted\" \\ back")
                .addProperty("Empty", "")
                .addProperty("Boolean", true)
                .addProperty("Int32", Integer.MIN_VALUE)
                .addProperty("Int64", Long.MAX_VALUE)
                .addProperty("Double", 1.5e-300)
                .addProperty("Whole", 3.0)
                .addProperty("DateTime", date)
                .addProperty("Guid", guid)
                .addProperty("Binary", binary));
        TableEntity read = table.getEntity("types", "all");
        assertThat(read.getProperty("String")).isEqualTo("Zürich 東京 \uD83D\uDE00 \"quoted\" \\ back");
        assertThat(read.getProperty("Empty")).isEqualTo("");
        assertThat(read.getProperty("Boolean")).isEqualTo(true);
        assertThat(read.getProperty("Int32")).isEqualTo(Integer.MIN_VALUE);
        assertThat(read.getProperty("Int64")).isEqualTo(Long.MAX_VALUE);
        assertThat(read.getProperty("Double")).isEqualTo(1.5e-300);
        assertThat(read.getProperty("Whole")).isEqualTo(3.0);
        assertThat(read.getProperty("DateTime")).isEqualTo(date);
        assertThat(read.getProperty("Guid")).isEqualTo(guid);
        assertThat((byte[]) read.getProperty("Binary")).isEqualTo(binary);
        assertThat(read.getTimestamp()).isNotNull();
        assertThat(read.getETag()).startsWith("W/\"datetime'").endsWith("'\"");
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.MAX_VALUE, Double.MIN_VALUE, -0.0, 1e15, 0.1})
    void doublesComeBack(double value) {
        table.upsertEntity(entity("doubles", "d").addProperty("Value", value));
        assertThat(table.getEntity("doubles", "d").getProperty("Value")).isEqualTo(value);
    }

    /** This SDK sends such values without their type, so that they are stored as strings; it reads those that others have stored. */
    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void doublesThatAreNoNumbersAreReadAsDoubles(double value) throws IOException {
        String json = RawTable.json(
                "infinite", Double.toString(value), "\"V\":\"" + value + "\"", "\"V@odata.type\":\"Edm.Double\"");
        try (Connection connection = Connection.open(endpoint, RawTable.PATIENCE)) {
            assertThat(connection
                            .exchange(new Requests(endpoint).insert(table.getTableName(), json))
                            .status())
                    .isEqualTo(204);
        }
        assertThat(table.getEntity("infinite", Double.toString(value)).getProperty("V"))
                .isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1601-01-01T00:00:00Z",
                "1969-12-31T23:59:59.9999999Z",
                "2024-02-29T12:00:00.1Z",
                "9999-12-31T23:59:59.9999999Z"
            })
    void datesKeepTheirTicks(String text) {
        OffsetDateTime date = OffsetDateTime.parse(text);
        table.upsertEntity(entity("dates", "d").addProperty("Value", date));
        assertThat(table.getEntity("dates", "d").getProperty("Value")).isEqualTo(date);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "it's",
                "''",
                "100%",
                "%25",
                "a b",
                "a+b",
                "(x,y=z)",
                "Zürich",
                "東京",
                "\uD83D\uDE00",
                "~!@$^&*"
            })
    void keysComeBackAsTheyWentIn(String key) {
        table.upsertEntity(entity(key, key).addProperty("Value", 1));
        TableEntity read = table.getEntity(key, key);
        assertThat(read.getPartitionKey()).isEqualTo(key);
        assertThat(read.getRowKey()).isEqualTo(key);
        table.deleteEntity(key, key);
        assertThat(failure(() -> table.getEntity(key, key))).isEqualTo(MISSING);
    }

    @Test
    void anEntityIsInsertedOnce() {
        table.createEntity(entity("once", "r").addProperty("Value", 1));
        assertThat(failure(() -> table.createEntity(entity("once", "r").addProperty("Value", 2))))
                .isEqualTo(EXISTS);
        assertThat(table.getEntity("once", "r").getProperty("Value")).isEqualTo(1);
    }

    @Test
    void replaceTakesAwayWhatItDoesNotName() {
        table.createEntity(entity("replace", "r").addProperty("A", 1).addProperty("B", 2));
        table.updateEntity(entity("replace", "r").addProperty("B", 3), REPLACE);
        TableEntity read = table.getEntity("replace", "r");
        assertThat(read.getProperties()).doesNotContainKey("A").containsEntry("B", 3);
    }

    @Test
    void mergeKeepsWhatItDoesNotNameAndMayChangeATypes() {
        table.createEntity(entity("merge", "r").addProperty("A", 1).addProperty("B", 2));
        table.updateEntity(entity("merge", "r").addProperty("B", "text"), MERGE);
        assertThat(table.getEntity("merge", "r").getProperties())
                .containsEntry("A", 1)
                .containsEntry("B", "text");
    }

    @Test
    void updatesNeedAnEntityAndUpsertsDoNot() {
        assertThat(failure(() -> table.updateEntity(entity("upsert", "a"), REPLACE)))
                .isEqualTo(MISSING);
        assertThat(failure(() -> table.updateEntity(entity("upsert", "a"), MERGE)))
                .isEqualTo(MISSING);
        upsert(entity("upsert", "a").addProperty("A", 1), true);
        upsert(entity("upsert", "b").addProperty("A", 1), false);
        upsert(entity("upsert", "a").addProperty("B", 2), true);
        upsert(entity("upsert", "b").addProperty("B", 2), false);
        assertThat(table.getEntity("upsert", "a").getProperties()).containsKeys("A", "B");
        assertThat(table.getEntity("upsert", "b").getProperties())
                .containsKey("B")
                .doesNotContainKey("A");
    }

    @Test
    void conditionsHoldForTheCurrentEtagAlone() {
        table.createEntity(entity("etag", "r").addProperty("A", 1));
        TableEntity first = table.getEntity("etag", "r");
        first.addProperty("A", 2);
        assertThat(update(first).getStatusCode()).isEqualTo(204);
        assertThat(failure(() -> update(first))).isEqualTo(CHANGED);
        assertThat(failure(() -> table.deleteEntityWithResponse(first, true, null, Context.NONE)))
                .isEqualTo(CHANGED);
        TableEntity second = table.getEntity("etag", "r");
        assertThat(second.getETag()).isNotEqualTo(first.getETag());
        assertThat(table.deleteEntityWithResponse(second, true, null, Context.NONE)
                        .getStatusCode())
                .isEqualTo(204);
    }

    @Test
    void aSecondDeleteFindsNothingAndTheSdkKeepsQuiet() {
        table.createEntity(entity("delete", "r"));
        table.deleteEntity("delete", "r");
        table.deleteEntity("delete", "r");
        assertThat(failure(() -> table.getEntity("delete", "r"))).isEqualTo(MISSING);
    }

    @Test
    void aPointGetMaySelectProperties() {
        table.createEntity(entity("select", "r").addProperty("A", 1).addProperty("B", 2));
        TableEntity read = table.getEntityWithResponse("select", "r", List.of("A"), null, Context.NONE)
                .getValue();
        assertThat(read.getProperties()).containsEntry("A", 1).doesNotContainKey("B");
    }

    @Test
    void whatIsTooLargeIsRefused() {
        TableEntity longText = entity("large", "text").addProperty("A", "x".repeat(32 * 1024 + 1));
        assertThat(failure(() -> table.createEntity(longText))).isEqualTo(new Failure(400, "PropertyValueTooLarge"));
        TableEntity longKey = entity("k".repeat(513), "r");
        assertThat(failure(() -> table.createEntity(longKey))).isEqualTo(new Failure(400, "KeyValueTooLarge"));
        TableEntity manyProperties = entity("large", "many");
        for (int i = 0; i < 253; i++) {
            manyProperties.addProperty("P" + i, i);
        }
        assertThat(failure(() -> table.createEntity(manyProperties))).isEqualTo(new Failure(400, "TooManyProperties"));
        TableEntity megabyte = entity("large", "entity");
        for (int i = 0; i < 17; i++) {
            megabyte.addProperty("P" + i, bytes(65536));
        }
        assertThat(failure(() -> table.createEntity(megabyte))).isEqualTo(new Failure(400, "EntityTooLarge"));
    }

    @Test
    void whatJustFitsIsKept() {
        TableEntity many = entity("k".repeat(512), "r".repeat(512));
        for (int i = 0; i < 252; i++) {
            many.addProperty("P" + i, i);
        }
        table.createEntity(many);
        assertThat(table.getEntity("k".repeat(512), "r".repeat(512)).getProperties())
                .containsEntry("P251", 251);
        TableEntity large = entity("fits", "r").addProperty("Text", "x".repeat(32 * 1024));
        for (int i = 0; i < 14; i++) {
            large.addProperty("P" + i, bytes(65536));
        }
        table.createEntity(large);
        assertThat((byte[]) table.getEntity("fits", "r").getProperty("P13")).isEqualTo(bytes(65536));
    }

    @Test
    void namesOfPropertiesAreCaseSensitiveAndMustBeNames() {
        table.createEntity(entity("names", "r").addProperty("birthday", 1).addProperty("Birthday", 2));
        assertThat(table.getEntity("names", "r").getProperties())
                .containsEntry("birthday", 1)
                .containsEntry("Birthday", 2);
        assertThat(failure(() -> table.createEntity(entity("names", "x").addProperty("a-b", 1))))
                .isEqualTo(new Failure(400, "PropertyNameInvalid"));
        assertThat(failure(() -> table.createEntity(entity("names", "x").addProperty("n".repeat(256), 1))))
                .isEqualTo(new Failure(400, "PropertyNameTooLong"));
    }

    private Response<Void> update(TableEntity entity) {
        return table.updateEntityWithResponse(entity, REPLACE, true, null, Context.NONE);
    }

    private void upsert(TableEntity entity, boolean merge) {
        table.upsertEntityWithResponse(entity, merge ? MERGE : REPLACE, null, Context.NONE);
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, "x".getBytes(StandardCharsets.UTF_8)[0]);
        return bytes;
    }
}

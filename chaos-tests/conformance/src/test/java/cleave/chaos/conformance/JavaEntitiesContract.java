package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.entity;
import static cleave.chaos.conformance.JavaSdk.failure;
import static com.azure.data.tables.models.TableEntityUpdateMode.MERGE;
import static com.azure.data.tables.models.TableEntityUpdateMode.REPLACE;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Endpoint;
import com.azure.core.http.rest.Response;
import com.azure.core.util.Context;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.TableEntity;
import java.time.OffsetDateTime;
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

    private final TableClient table;

    JavaEntitiesContract(Endpoint endpoint) {
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

    private Response<Void> update(TableEntity entity) {
        return table.updateEntityWithResponse(entity, REPLACE, true, null, Context.NONE);
    }

    private void upsert(TableEntity entity, boolean merge) {
        table.upsertEntityWithResponse(entity, merge ? MERGE : REPLACE, null, Context.NONE);
    }
}

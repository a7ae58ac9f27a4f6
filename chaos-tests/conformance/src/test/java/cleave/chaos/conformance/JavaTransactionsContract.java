package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.entity;
import static com.azure.data.tables.models.TableTransactionActionType.CREATE;
import static com.azure.data.tables.models.TableTransactionActionType.DELETE;
import static com.azure.data.tables.models.TableTransactionActionType.UPDATE_MERGE;
import static com.azure.data.tables.models.TableTransactionActionType.UPDATE_REPLACE;
import static com.azure.data.tables.models.TableTransactionActionType.UPSERT_MERGE;
import static com.azure.data.tables.models.TableTransactionActionType.UPSERT_REPLACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import cleave.client.Endpoint;
import com.azure.core.util.Context;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionResponse;
import com.azure.data.tables.models.TableTransactionActionType;
import com.azure.data.tables.models.TableTransactionFailedException;
import com.azure.data.tables.models.TableTransactionResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Entity group transactions, by the Java SDK. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JavaTransactionsContract {
    private final TableClient table;

    JavaTransactionsContract(Endpoint endpoint) {
        table = JavaSdk.of(endpoint).newTable();
    }

    @Test
    void aHundredOperationsAreDoneTogether() {
        TableTransactionResult result = table.submitTransaction(inserts("hundred", 100));
        assertThat(result.getTransactionActionResponses())
                .hasSize(100)
                .extracting(TableTransactionActionResponse::getStatusCode)
                .containsOnly(204);
        assertThat(count("hundred")).isEqualTo(100);
    }

    @Test
    void everyKindOfOperationCanBePartOfOne() {
        table.submitTransaction(inserts("kinds", 4));
        table.submitTransaction(List.of(
                action(CREATE, entity("kinds", "new").addProperty("V", 1)),
                action(UPDATE_MERGE, entity("kinds", "000").addProperty("W", 2)),
                action(UPDATE_REPLACE, entity("kinds", "001").addProperty("W", 2)),
                action(UPSERT_MERGE, entity("kinds", "002").addProperty("W", 2)),
                action(UPSERT_REPLACE, entity("kinds", "fresh").addProperty("W", 2)),
                action(DELETE, entity("kinds", "003"))));
        assertThat(count("kinds")).isEqualTo(5);
        assertThat(table.getEntity("kinds", "000").getProperties()).containsKeys("V", "W");
        assertThat(table.getEntity("kinds", "001").getProperties())
                .containsKey("W")
                .doesNotContainKey("V");
        assertThat(table.getEntity("kinds", "002").getProperties()).containsKeys("V", "W");
    }

    @Test
    void aFailedOneNamesItsOperationAndChangesNothing() {
        table.createEntity(entity("failed", "007"));
        TableTransactionFailedException failure = failure(inserts("failed", 20));
        assertThat(failure.getFailedTransactionActionIndex()).isEqualTo(7);
        assertThat(code(failure)).isEqualTo("EntityAlreadyExists");
        assertThat(count("failed")).isEqualTo(1);
    }

    private static List<TableTransactionAction> inserts(String partitionKey, int count) {
        List<TableTransactionAction> actions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            actions.add(action(
                    CREATE, entity(partitionKey, String.format("%03d", i)).addProperty("V", i)));
        }
        return actions;
    }

    private static TableTransactionAction action(TableTransactionActionType type, TableEntity entity) {
        return new TableTransactionAction(type, entity);
    }

    private TableTransactionFailedException failure(List<TableTransactionAction> actions) {
        TableTransactionFailedException failure =
                catchThrowableOfType(TableTransactionFailedException.class, () -> table.submitTransaction(actions));
        if (failure == null) {
            throw new AssertionError("the transaction succeeded but must fail");
        }
        return failure;
    }

    private static String code(TableTransactionFailedException failure) {
        return failure.getValue() == null
                ? ""
                : String.valueOf(failure.getValue().getErrorCode());
    }

    private long count(String partitionKey) {
        return table
                .listEntities(
                        new ListEntitiesOptions().setFilter("PartitionKey eq '" + partitionKey + "'"),
                        null,
                        Context.NONE)
                .stream()
                .count();
    }
}

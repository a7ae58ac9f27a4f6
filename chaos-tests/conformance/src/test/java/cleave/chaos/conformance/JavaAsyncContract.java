package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.entity;
import static cleave.chaos.conformance.JavaSdk.failure;
import static cleave.chaos.conformance.JavaSdk.newTableName;
import static com.azure.data.tables.models.TableEntityUpdateMode.MERGE;
import static com.azure.data.tables.models.TableEntityUpdateMode.REPLACE;
import static com.azure.data.tables.models.TableTransactionActionType.CREATE;
import static com.azure.data.tables.models.TableTransactionActionType.DELETE;
import static com.azure.data.tables.models.TableTransactionActionType.UPDATE_MERGE;
import static com.azure.data.tables.models.TableTransactionActionType.UPSERT_REPLACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Endpoint;
import com.azure.core.http.rest.PagedFlux;
import com.azure.core.http.rest.PagedResponse;
import com.azure.data.tables.TableAsyncClient;
import com.azure.data.tables.TableServiceAsyncClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableServiceException;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionResponse;
import com.azure.data.tables.models.TableTransactionFailedException;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tables, entities, queries and transactions by the Java SDK's asynchronous client, with many requests at once. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JavaAsyncContract {
    private static final int AT_ONCE = 32;

    private final TableServiceAsyncClient service;

    JavaAsyncContract(Endpoint endpoint) {
        service = JavaSdk.builder(endpoint)
                .connectionString(endpoint.connectionString())
                .buildAsyncClient();
    }

    private TableAsyncClient newTable() {
        return done(service.createTable(newTableName()));
    }

    private static <T> T done(Mono<T> mono) {
        return Objects.requireNonNull(mono.block());
    }

    private static List<String> rowKeys(PagedFlux<TableEntity> entities) {
        return done(entities.map(TableEntity::getRowKey).collectList());
    }

    @Test
    void anEntityLivesThroughAllItsOperations() {
        TableAsyncClient table = newTable();
        table.createEntity(entity("p", "r").addProperty("A", 1)).block();
        assertThat(failure(() -> table.createEntity(entity("p", "r")).block()))
                .isEqualTo(new Failure(409, "EntityAlreadyExists"));
        table.updateEntity(entity("p", "r").addProperty("B", 2L), MERGE).block();
        assertThat(done(table.getEntity("p", "r")).getProperties())
                .containsEntry("A", 1)
                .containsEntry("B", 2L);
        table.updateEntity(entity("p", "r").addProperty("C", true), REPLACE).block();
        TableEntity read =
                done(table.getEntityWithResponse("p", "r", List.of("C", "A"))).getValue();
        assertThat(read.getProperties()).containsEntry("C", true).doesNotContainKey("B");
        table.upsertEntity(entity("p", "other").addProperty("A", 1)).block();
        assertThat(rowKeys(table.listEntities())).containsExactly("other", "r");
        table.deleteEntity("p", "r").block();
        assertThat(failure(() -> table.getEntity("p", "r").block())).isEqualTo(new Failure(404, "ResourceNotFound"));
    }

    @Test
    void manyInsertsAtOnceAreAllThereInOrder() {
        TableAsyncClient table = newTable();
        List<String> keys =
                IntStream.range(0, 250).mapToObj(i -> String.format("%03d", i)).toList();
        Flux.fromIterable(keys)
                .flatMap(key -> table.createEntity(entity("p", key)), AT_ONCE)
                .blockLast();
        assertThat(rowKeys(table.listEntities())).isEqualTo(keys);
        List<Integer> pages = done(table.listEntities(new ListEntitiesOptions().setTop(60))
                .byPage()
                .map(PagedResponse::getValue)
                .map(List::size)
                .filter(size -> size > 0)
                .collectList());
        assertThat(pages).containsExactly(60, 60, 60, 60, 10);
        assertThat(rowKeys(table.listEntities(new ListEntitiesOptions().setFilter("RowKey ge '247'"))))
                .containsExactly("247", "248", "249");
    }

    @Test
    void ofManyUpdatesUnderOneEtagOneIsDone() {
        TableAsyncClient table = newTable();
        table.createEntity(entity("p", "r")).block();
        TableEntity read = done(table.getEntity("p", "r"));
        List<Integer> statuses = done(Flux.range(0, AT_ONCE)
                .flatMap(
                        i -> table.updateEntityWithResponse(read, REPLACE, true)
                                .map(response -> response.getStatusCode())
                                .onErrorResume(
                                        TableServiceException.class,
                                        refused ->
                                                Mono.just(refused.getResponse().getStatusCode())),
                        AT_ONCE)
                .collectList());
        assertThat(statuses).hasSize(AT_ONCE).containsOnly(204, 412).containsOnlyOnce(204);
    }

    @Test
    void aTransactionIsDoneWhollyOrNotAtAll() {
        TableAsyncClient table = newTable();
        table.createEntity(entity("p", "old")).block();
        List<TableTransactionAction> actions = List.of(
                new TableTransactionAction(CREATE, entity("p", "new")),
                new TableTransactionAction(UPDATE_MERGE, entity("p", "old").addProperty("A", 1)),
                new TableTransactionAction(UPSERT_REPLACE, entity("p", "fresh")));
        assertThat(done(table.submitTransaction(actions)).getTransactionActionResponses())
                .extracting(TableTransactionActionResponse::getStatusCode)
                .containsExactly(204, 204, 204);
        TableTransactionFailedException failed = catchThrowableOfType(
                TableTransactionFailedException.class,
                () -> table.submitTransaction(List.of(
                                new TableTransactionAction(DELETE, entity("p", "old")),
                                new TableTransactionAction(CREATE, entity("p", "new"))))
                        .block());
        assertThat(Objects.requireNonNull(failed).getFailedTransactionActionIndex())
                .isEqualTo(1);
        assertThat(rowKeys(table.listEntities())).containsExactly("fresh", "new", "old");
    }
}

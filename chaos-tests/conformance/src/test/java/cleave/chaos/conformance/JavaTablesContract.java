package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.entity;
import static cleave.chaos.conformance.JavaSdk.failure;
import static cleave.chaos.conformance.JavaSdk.newTableName;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Endpoint;
import com.azure.core.util.Context;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.ListTablesOptions;
import com.azure.data.tables.models.TableItem;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Tables, by the Java SDK. */
abstract class JavaTablesContract {
    private final JavaSdk sdk;

    JavaTablesContract(Endpoint endpoint) {
        sdk = JavaSdk.of(endpoint);
    }

    @Test
    void aCreatedTableIsListedUnderTheNameItWasGiven() {
        String name = newTableName();
        sdk.service().createTable(name);
        assertThat(tables("TableName eq '" + name + "'")).containsExactly(name);
    }

    @Test
    void aTableIsCreatedOnce() {
        String name = newTableName();
        sdk.service().createTable(name);
        assertThat(failure(() -> sdk.service().createTable(name))).isEqualTo(new Failure(409, "TableAlreadyExists"));
        assertThat(failure(() -> sdk.service().createTable(name.toUpperCase(Locale.ROOT))))
                .isEqualTo(new Failure(409, "TableAlreadyExists"));
    }

    @Test
    void creatingATableIfItDoesNotExistIsQuietWhenItDoes() {
        String name = newTableName();
        sdk.service().createTableIfNotExists(name);
        sdk.service().createTableIfNotExists(name);
        assertThat(tables("TableName eq '" + name + "'")).containsExactly(name);
    }

    @Test
    void listsArePagedAndFilteredByPrefix() {
        String prefix = newTableName().substring(0, 20);
        List<String> names = List.of(prefix + "a", prefix + "b", prefix + "c", prefix + "d", prefix + "e");
        names.forEach(sdk.service()::createTable);
        String filter = "TableName ge '" + prefix + "' and TableName lt '" + prefix + "z'";
        ListTablesOptions options = new ListTablesOptions().setFilter(filter).setTop(2);
        List<Integer> pages = sdk.service()
                .listTables(options, null, Context.NONE)
                .streamByPage()
                .map(page -> page.getValue().size())
                .filter(size -> size > 0)
                .toList();
        assertThat(tables(filter)).containsExactlyElementsOf(names);
        assertThat(pages).containsExactly(2, 2, 1);
    }

    @Test
    void aDeletedTableIsGoneAndItsNameIsFree() {
        TableClient table = sdk.newTable();
        table.createEntity(entity("p", "r"));
        sdk.service().deleteTable(table.getTableName());
        assertThat(tables("TableName eq '" + table.getTableName() + "'")).isEmpty();
        assertThat(failure(() -> table.getEntity("p", "r"))).isEqualTo(new Failure(404, "TableNotFound"));
        sdk.service().createTable(table.getTableName());
        assertThat(failure(() -> table.getEntity("p", "r"))).isEqualTo(new Failure(404, "ResourceNotFound"));
        assertThat(table.listEntities()).isEmpty();
    }

    @Test
    void operationsOnATableThatDoesNotExistSaySo() {
        TableClient missing = sdk.service().getTableClient(newTableName());
        Failure notFound = new Failure(404, "TableNotFound");
        assertThat(failure(() -> missing.createEntity(entity("p", "r")))).isEqualTo(notFound);
        assertThat(failure(() -> missing.getEntity("p", "r"))).isEqualTo(notFound);
        assertThat(failure(() -> missing.upsertEntity(entity("p", "r")))).isEqualTo(notFound);
        assertThat(failure(() -> missing.listEntities().stream().count())).isEqualTo(notFound);
    }

    private List<String> tables(String filter) {
        return sdk.service().listTables(new ListTablesOptions().setFilter(filter), null, Context.NONE).stream()
                .map(TableItem::getName)
                .toList();
    }
}

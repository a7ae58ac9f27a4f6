package cleave.chaos.conformance;

import static cleave.chaos.conformance.JavaSdk.PATIENCE;
import static cleave.chaos.conformance.JavaSdk.entity;
import static cleave.chaos.conformance.JavaSdk.failure;
import static cleave.chaos.conformance.JavaSdk.isRefused;
import static cleave.chaos.conformance.JavaSdk.newTableName;
import static com.azure.data.tables.models.TableEntityUpdateMode.MERGE;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Endpoint;
import com.azure.core.credential.AzureSasCredential;
import com.azure.core.util.Context;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableAccessPolicy;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableSignedIdentifier;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionType;
import com.azure.data.tables.sas.TableAccountSasPermission;
import com.azure.data.tables.sas.TableAccountSasResourceType;
import com.azure.data.tables.sas.TableAccountSasService;
import com.azure.data.tables.sas.TableAccountSasSignatureValues;
import com.azure.data.tables.sas.TableSasIpRange;
import com.azure.data.tables.sas.TableSasPermission;
import com.azure.data.tables.sas.TableSasProtocol;
import com.azure.data.tables.sas.TableSasSignatureValues;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared access signatures that the Java SDK makes, and the access policies of tables that they refer to. */
abstract class JavaSasContract {
    private static final Failure NOT_AUTHENTIC = new Failure(403, "AuthenticationFailed");
    private static final Failure NOT_PERMITTED = new Failure(403, "AuthorizationPermissionMismatch");
    private static final Failure OUT_OF_RANGE = new Failure(403, "AuthorizationFailure");

    private final Endpoint endpoint;
    private final JavaSdk sdk;
    private final OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS);
    private final OffsetDateTime later = now.plusHours(1);
    private TableClient table;

    JavaSasContract(Endpoint endpoint) {
        this.endpoint = endpoint;
        sdk = JavaSdk.of(endpoint);
    }

    @BeforeEach
    void fillTable() {
        table = sdk.newTable();
        for (String partitionKey : List.of("a", "b", "c")) {
            for (String rowKey : List.of("1", "2", "3")) {
                table.createEntity(entity(partitionKey, rowKey).addProperty("V", 1));
            }
        }
    }

    private TableServiceClient by(String sas) {
        return JavaSdk.builder(endpoint)
                .endpoint(endpoint.url())
                .credential(new AzureSasCredential(sas))
                .buildClient();
    }

    private TableClient tableBy(TableSasSignatureValues values) {
        return by(table.generateSas(values)).getTableClient(table.getTableName());
    }

    private TableSasSignatureValues may(String permissions) {
        return new TableSasSignatureValues(later, TableSasPermission.parse(permissions));
    }

    private static List<String> keys(TableClient of, String filter) {
        return of.listEntities(new ListEntitiesOptions().setFilter(filter), null, Context.NONE).stream()
                .map(entity -> entity.getPartitionKey() + entity.getRowKey())
                .toList();
    }

    // Signatures for a table.

    @ParameterizedTest
    @ValueSource(strings = {"r", "a", "u", "d", "au", "raud"})
    void aTableSignaturePermitsWhatItSays(String permissions) {
        TableClient client = tableBy(may(permissions));
        TableEntity old = entity("a", "1").addProperty("W", 2);
        assertPermitted(permissions.contains("r"), () -> client.getEntity("a", "1"));
        assertPermitted(permissions.contains("r"), () -> keys(client, ""));
        assertPermitted(permissions.contains("a"), () -> client.createEntity(entity("n", "1")));
        assertPermitted(permissions.contains("u"), () -> client.updateEntity(old, MERGE));
        assertPermitted(permissions.contains("au") || permissions.contains("raud"), () -> client.upsertEntity(old));
        assertPermitted(permissions.contains("d"), () -> client.deleteEntity("a", "1"));
    }

    private static void assertPermitted(boolean permitted, Runnable call) {
        if (permitted) {
            call.run();
        } else {
            assertThat(failure(call::run)).isEqualTo(NOT_PERMITTED);
        }
    }

    @Test
    void aRangeOfKeysNarrowsQueriesAndRefusesTheRest() {
        TableClient client = tableBy(may("raud")
                .setStartPartitionKey("a")
                .setStartRowKey("2")
                .setEndPartitionKey("b")
                .setEndRowKey("2"));
        assertThat(keys(client, "")).containsExactly("a2", "a3", "b1", "b2");
        assertThat(keys(client, "RowKey eq '1'")).containsExactly("b1");
        assertThat(keys(client, "PartitionKey eq 'c'")).isEmpty();
        assertThat(client.getEntity("a", "2").getRowKey()).isEqualTo("2");
        client.createEntity(entity("a", "22"));
        assertThat(failure(() -> client.getEntity("a", "1"))).isEqualTo(new Failure(404, "ResourceNotFound"));
        assertThat(failure(() -> client.createEntity(entity("b", "21")))).isEqualTo(OUT_OF_RANGE);
        assertThat(failure(() -> client.updateEntity(entity("c", "1"), MERGE))).isEqualTo(OUT_OF_RANGE);
        assertThat(failure(() -> client.deleteEntity("a", "1"))).isEqualTo(OUT_OF_RANGE);
        assertThat(table.getEntity("a", "1").getRowKey()).isEqualTo("1");
    }

    @Test
    void aSignatureHoldsForItsTimeItsAddressesAndProtocols() {
        TableClient secure = tableBy(may("r").setProtocol(TableSasProtocol.HTTPS_ONLY));
        if (endpoint.scheme().equals("https")) {
            assertThat(secure.getEntity("a", "1").getRowKey()).isEqualTo("1");
        } else {
            assertThat(failure(() -> secure.getEntity("a", "1")))
                    .isEqualTo(new Failure(403, "AuthorizationProtocolMismatch"));
        }
        assertThat(failure(() -> tableBy(may("r").setSasIpRange(TableSasIpRange.parse("192.0.2.1-192.0.2.9")))
                        .getEntity("a", "1")))
                .isEqualTo(new Failure(403, "AuthorizationSourceIPMismatch"));
        TableSasSignatureValues here = may("r").setStartTime(now.minusHours(1))
                .setProtocol(TableSasProtocol.HTTPS_HTTP)
                .setSasIpRange(TableSasIpRange.parse("127.0.0.0-127.0.0.255"));
        assertThat(tableBy(here).getEntity("a", "1").getRowKey()).isEqualTo("1");
    }

    // Access policies.

    @Test
    void policiesComeBackAsTheyWereSet() {
        table.setAccessPolicies(List.of(
                policy("readers", now.minusDays(1), later, "r"),
                policy("all of them", now.minusDays(2), later.plusDays(1), "raud")));
        assertThat(table.getAccessPolicies().getIdentifiers())
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(
                        policy("readers", now.minusDays(1), later, "r"),
                        policy("all of them", now.minusDays(2), later.plusDays(1), "raud"));
        table.setAccessPolicies(List.of());
        // The SDK makes null of an empty list.
        assertThat(table.getAccessPolicies().getIdentifiers()).isNullOrEmpty();
        List<TableSignedIdentifier> six = IntStream.range(0, 6)
                .mapToObj(i -> policy("p" + i, now, later, "r"))
                .toList();
        assertThat(failure(() -> table.setAccessPolicies(six)).status()).isEqualTo(400);
        TableClient missing = sdk.service().getTableClient(newTableName());
        assertThat(failure(missing::getAccessPolicies)).isEqualTo(new Failure(404, "ResourceNotFound"));
    }

    private static TableSignedIdentifier policy(
            String id, OffsetDateTime starts, OffsetDateTime expires, String permissions) {
        return new TableSignedIdentifier(id)
                .setAccessPolicy(new TableAccessPolicy()
                        .setStartsOn(starts)
                        .setExpiresOn(expires)
                        .setPermissions(permissions));
    }

    @Test
    void aSignatureUnderAPolicyEndsWithIt() {
        table.setAccessPolicies(List.of(policy("readers", now.minusHours(1), later, "r")));
        TableClient client = tableBy(new TableSasSignatureValues("readers"));
        PATIENCE.until("the policy counts", () -> client.getEntity("a", "1") != null);
        PATIENCE.until(
                "it permits to read", () -> isRefused(() -> client.createEntity(entity("n", "1")), NOT_PERMITTED));
        table.setAccessPolicies(List.of(policy("others", now.minusHours(1), later, "r")));
        PATIENCE.until("it counts no more", () -> isRefused(() -> client.getEntity("a", "1"), NOT_AUTHENTIC));
    }

    // Signatures for an account.

    private TableServiceClient byAccount(String permissions, String services, String resources) {
        return by(sdk.service()
                .generateAccountSas(new TableAccountSasSignatureValues(
                        later,
                        TableAccountSasPermission.parse(permissions),
                        TableAccountSasService.parse(services),
                        TableAccountSasResourceType.parse(resources))));
    }

    @Test
    void anAccountSignatureMayPermitEverything() {
        TableServiceClient client = byAccount("rwdlacu", "t", "sco");
        String name = newTableName();
        client.createTable(name);
        TableClient own = client.getTableClient(name);
        own.createEntity(entity("p", "r").addProperty("A", 1));
        own.upsertEntity(entity("p", "r").addProperty("B", 1));
        own.updateEntity(entity("p", "r").addProperty("C", 1), MERGE);
        own.submitTransaction(List.of(new TableTransactionAction(
                TableTransactionActionType.CREATE, entity("p", "t").addProperty("A", 1))));
        assertThat(keys(own, "")).containsExactly("pr", "pt");
        assertThat(client.listTables().stream().map(item -> item.getName())).contains(name);
        own.deleteEntity("p", "r");
        client.deleteTable(name);
    }
}

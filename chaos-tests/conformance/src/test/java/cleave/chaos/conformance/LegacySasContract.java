package cleave.chaos.conformance;

import static cleave.chaos.conformance.LegacySdk.entity;
import static cleave.chaos.conformance.LegacySdk.failure;
import static cleave.chaos.conformance.LegacySdk.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Endpoint;
import com.microsoft.azure.storage.SharedAccessAccountPolicy;
import com.microsoft.azure.storage.StorageCredentialsSharedAccessSignature;
import com.microsoft.azure.storage.StorageException;
import com.microsoft.azure.storage.table.CloudTable;
import com.microsoft.azure.storage.table.CloudTableClient;
import com.microsoft.azure.storage.table.DynamicTableEntity;
import com.microsoft.azure.storage.table.SharedAccessTablePolicy;
import com.microsoft.azure.storage.table.TableOperation;
import com.microsoft.azure.storage.table.TablePermissions;
import com.microsoft.azure.storage.table.TableQuery;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.InvalidKeyException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shared access signatures that the Java SDK of old programs makes, and the access policies that they refer to. */
abstract class LegacySasContract {
    private static final Failure NOT_PERMITTED = new Failure(403, "AuthorizationPermissionMismatch");
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    private final Endpoint endpoint;
    private final LegacySdk sdk;
    private CloudTable table;

    LegacySasContract(Endpoint endpoint) {
        this.endpoint = endpoint;
        sdk = LegacySdk.of(endpoint);
    }

    @BeforeEach
    void fillTable() throws StorageException {
        table = sdk.newTable();
        for (String partitionKey : List.of("a", "b", "c")) {
            table.execute(TableOperation.insert(entity(partitionKey, "1", "V", 1)));
        }
    }

    private SharedAccessTablePolicy policy(String permissions, Date expires) {
        SharedAccessTablePolicy policy = new SharedAccessTablePolicy();
        policy.setPermissionsFromString(permissions);
        policy.setSharedAccessStartTime(Date.from(now.minus(1, ChronoUnit.HOURS)));
        policy.setSharedAccessExpiryTime(expires);
        return policy;
    }

    private Date later() {
        return Date.from(now.plus(1, ChronoUnit.HOURS));
    }

    private CloudTableClient clientBy(String sas) {
        return new CloudTableClient(URI.create(endpoint.url()), new StorageCredentialsSharedAccessSignature(sas));
    }

    private CloudTable tableBy(
            @Nullable SharedAccessTablePolicy policy, @Nullable String id, @Nullable String from, @Nullable String to)
            throws StorageException, InvalidKeyException, URISyntaxException {
        return clientBy(table.generateSharedAccessSignature(policy, id, from, null, to, null))
                .getTableReference(table.getName());
    }

    @Test
    void aTableSignaturePermitsWhatItSays() throws Exception {
        CloudTable reader = tableBy(policy("r", later()), null, null, null);
        assertThat(read(reader, "a", "1")).isNotNull();
        assertThat(failure(() -> reader.execute(TableOperation.insert(entity("n", "1", "V", 1)))))
                .isEqualTo(NOT_PERMITTED);
        CloudTable writer = tableBy(policy("aud", later()), null, null, null);
        writer.execute(TableOperation.insert(entity("n", "1", "V", 1)));
        writer.execute(TableOperation.insertOrMerge(entity("n", "1", "W", 1)));
        writer.execute(TableOperation.merge(entity("n", "1", "X", 1)));
        writer.execute(TableOperation.delete(entity("n", "1", "V", 1)));
        assertThat(failure(() -> read(writer, "a", "1"))).isEqualTo(NOT_PERMITTED);
        CloudTable late = tableBy(policy("r", Date.from(now.minusSeconds(1))), null, null, null);
        assertThat(failure(() -> read(late, "a", "1"))).isEqualTo(new Failure(403, "AuthenticationFailed"));
    }

    @Test
    void aRangeOfKeysNarrowsQueriesAndRefusesTheRest() throws Exception {
        CloudTable narrow = tableBy(policy("raud", later()), null, "b", "b");
        List<String> found = new ArrayList<>();
        narrow.execute(TableQuery.from(DynamicTableEntity.class))
                .forEach(entity -> found.add(entity.getPartitionKey()));
        assertThat(found).containsExactly("b");
        assertThat(failure(() -> narrow.execute(TableOperation.insert(entity("a", "2", "V", 1)))))
                .isEqualTo(new Failure(403, "AuthorizationFailure"));
    }

    @Test
    void policiesComeBackAndSignaturesEndWithThem() throws Exception {
        TablePermissions permissions = new TablePermissions();
        permissions.getSharedAccessPolicies().put("readers", policy("r", later()));
        permissions.getSharedAccessPolicies().put("writers", policy("raud", later()));
        table.uploadPermissions(permissions);
        TablePermissions back = table.downloadPermissions();
        assertThat(back.getSharedAccessPolicies()).containsOnlyKeys("readers", "writers");
        SharedAccessTablePolicy readers =
                Objects.requireNonNull(back.getSharedAccessPolicies().get("readers"));
        assertThat(readers.permissionsToString()).isEqualTo("r");
        assertThat(readers.getSharedAccessExpiryTime()).isEqualTo(later());
        CloudTable reader = tableBy(null, "readers", null, null);
        JavaSdk.PATIENCE.until("the policy counts", () -> read(reader, "a", "1") != null);
        assertThat(failure(() -> reader.execute(TableOperation.insert(entity("n", "1", "V", 1)))))
                .isEqualTo(NOT_PERMITTED);
        table.uploadPermissions(new TablePermissions());
        assertThat(table.downloadPermissions().getSharedAccessPolicies()).isEmpty();
        JavaSdk.PATIENCE.until("it counts no more", () -> catchThrowable(() -> read(reader, "a", "1")) != null);
    }

    @Test
    void anAccountSignaturePermitsWhatItSays() throws Exception {
        SharedAccessAccountPolicy policy = new SharedAccessAccountPolicy();
        policy.setServiceFromString("t");
        policy.setResourceTypeFromString("sco");
        policy.setPermissionsFromString("rwdlacu");
        policy.setSharedAccessExpiryTime(later());
        CloudTableClient all = clientBy(sdk.account().generateSharedAccessSignature(policy));
        CloudTable own = all.getTableReference(JavaSdk.newTableName());
        own.create();
        own.execute(TableOperation.insert(entity("p", "r", "V", 1)));
        assertThat(read(own, "p", "r")).isNotNull();
        assertThat(all.listTables(own.getName())).containsExactly(own.getName());
        own.delete();
        policy.setPermissionsFromString("l");
        CloudTable reader =
                clientBy(sdk.account().generateSharedAccessSignature(policy)).getTableReference(table.getName());
        assertThat(failure(() -> read(reader, "a", "1"))).isEqualTo(NOT_PERMITTED);
    }
}

package cleave.chaos.conformance;

import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.chaos.conformance.JavaSdk.Failure;
import cleave.client.Endpoint;
import com.microsoft.azure.storage.CloudStorageAccount;
import com.microsoft.azure.storage.StorageException;
import com.microsoft.azure.storage.table.CloudTable;
import com.microsoft.azure.storage.table.CloudTableClient;
import com.microsoft.azure.storage.table.DynamicTableEntity;
import com.microsoft.azure.storage.table.EntityProperty;
import com.microsoft.azure.storage.table.TableOperation;
import java.net.URISyntaxException;
import java.security.InvalidKeyException;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** The Java SDK of old programs, as a user has it: built from a connection string, with its own defaults. Immutable. */
record LegacySdk(CloudStorageAccount account, CloudTableClient client) {
    static LegacySdk of(String connectionString) {
        try {
            CloudStorageAccount account = CloudStorageAccount.parse(connectionString);
            return new LegacySdk(account, account.createCloudTableClient());
        } catch (URISyntaxException | InvalidKeyException wrong) {
            throw new IllegalArgumentException(connectionString, wrong);
        }
    }

    static LegacySdk of(Endpoint endpoint) {
        return of(endpoint.connectionString());
    }

    /** A table that is not created yet. */
    CloudTable table(String name) {
        try {
            return client.getTableReference(name);
        } catch (URISyntaxException | StorageException wrong) {
            throw new IllegalArgumentException(name, wrong);
        }
    }

    /** A new, empty table. */
    CloudTable newTable() {
        CloudTable table = table(JavaSdk.newTableName());
        try {
            table.create();
        } catch (StorageException refused) {
            throw new IllegalStateException(refused);
        }
        return table;
    }

    static DynamicTableEntity entity(String partitionKey, String rowKey, Map<String, EntityProperty> properties) {
        return new DynamicTableEntity(partitionKey, rowKey, new HashMap<>(properties));
    }

    /** An entity that matches any version. */
    static DynamicTableEntity entity(String partitionKey, String rowKey, String property, int value) {
        DynamicTableEntity entity = entity(partitionKey, rowKey, Map.of(property, new EntityProperty(value)));
        entity.setEtag("*");
        return entity;
    }

    /** The entity as it is stored; null if there is none. */
    static @Nullable DynamicTableEntity read(CloudTable table, String partitionKey, String rowKey)
            throws StorageException {
        return table.execute(TableOperation.retrieve(partitionKey, rowKey, DynamicTableEntity.class))
                .getResultAsType();
    }

    /** The failure that a call must end in. */
    static Failure failure(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        // Lists hide the SDK's exception inside another.
        Throwable cause = thrown != null && thrown.getCause() instanceof StorageException inner ? inner : thrown;
        if (cause instanceof StorageException refused) {
            return new Failure(refused.getHttpStatusCode(), refused.getErrorCode());
        }
        throw new AssertionError("the call must be refused", thrown);
    }
}

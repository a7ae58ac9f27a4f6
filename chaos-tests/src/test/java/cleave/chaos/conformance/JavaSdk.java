package cleave.chaos.conformance;

import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.chaos.client.Endpoint;
import com.azure.core.exception.HttpResponseException;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableServiceException;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The Java SDK as a user has it: built from a connection string, with its own defaults. Immutable. */
record JavaSdk(TableServiceClient service) {
    /** Lists throw the SDK's inner exceptions, whose text alone has the code. */
    private static final Pattern CODE = Pattern.compile("\"code\":\"([A-Za-z]+)\"");

    static JavaSdk of(Endpoint endpoint) {
        return new JavaSdk(new TableServiceClientBuilder()
                .connectionString(endpoint.connectionString())
                .buildClient());
    }

    /** A name that no other test uses. */
    static String newTableName() {
        return "T" + UUID.randomUUID().toString().replace("-", "").toLowerCase(Locale.ROOT);
    }

    /** A new, empty table. */
    TableClient newTable() {
        return service.createTable(newTableName());
    }

    static TableEntity entity(String partitionKey, String rowKey) {
        return new TableEntity(partitionKey, rowKey);
    }

    /** The failure that a call must end in. */
    static Failure failure(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        if (thrown instanceof HttpResponseException refused) {
            Matcher code = CODE.matcher(refused.getMessage() + refused.getValue());
            return new Failure(refused.getResponse().getStatusCode(), code.find() ? code.group(1) : code(refused));
        }
        throw new AssertionError("the call must be refused", thrown);
    }

    private static String code(HttpResponseException refused) {
        return refused instanceof TableServiceException table && table.getValue() != null
                ? String.valueOf(table.getValue().getErrorCode())
                : "";
    }

    /** What a failed call tells its caller. */
    record Failure(int status, String code) {}
}

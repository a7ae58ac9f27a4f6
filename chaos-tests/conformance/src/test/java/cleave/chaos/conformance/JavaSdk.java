package cleave.chaos.conformance;

import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.netty.NettyAsyncHttpClientBuilder;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableServiceException;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import java.security.GeneralSecurityException;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.client.HttpClient;

/** The Java SDK as a user has it: built from a connection string, with its own defaults. Immutable. */
record JavaSdk(TableServiceClient service) {
    /** The patience for changes that take effect once every part of the service has forgotten the former state. */
    static final Patience PATIENCE = Patience.ofSeconds(60);

    /** The header with the code of errors that are XML. */
    private static final HttpHeaderName ERROR_CODE = HttpHeaderName.fromString("x-ms-error-code");

    /** Lists throw the SDK's inner exceptions, whose text alone has the code. */
    private static final Pattern CODE = Pattern.compile("\"code\":\"([A-Za-z]+)\"");

    static JavaSdk of(Endpoint endpoint) {
        return new JavaSdk(
                builder(endpoint).connectionString(endpoint.connectionString()).buildClient());
    }

    /** A builder with nothing set but, for HTTPS, the trusted certificates. */
    static TableServiceClientBuilder builder(Endpoint endpoint) {
        TableServiceClientBuilder builder = new TableServiceClientBuilder();
        if (endpoint.scheme().equals("http")) {
            return builder;
        }
        try {
            JdkSslContext believing = new JdkSslContext(
                    SSLContext.getDefault(),
                    true,
                    null,
                    IdentityCipherSuiteFilter.INSTANCE,
                    null,
                    ClientAuth.NONE,
                    null,
                    false);
            HttpClient http = HttpClient.create().secure(spec -> spec.sslContext(believing));
            return builder.httpClient(new NettyAsyncHttpClientBuilder(http).build());
        } catch (GeneralSecurityException none) {
            throw new IllegalStateException(none);
        }
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
        return failure(catchThrowable(call));
    }

    /** True if a call ends in this failure. */
    static boolean isRefused(ThrowingCallable call, Failure expected) {
        Throwable thrown = catchThrowable(call);
        return thrown != null && failure(thrown).equals(expected);
    }

    private static Failure failure(@Nullable Throwable thrown) {
        if (thrown instanceof HttpResponseException refused) {
            Matcher code = CODE.matcher(refused.getMessage() + refused.getValue());
            return new Failure(refused.getResponse().getStatusCode(), code.find() ? code.group(1) : code(refused));
        }
        throw new AssertionError("the call must be refused", thrown);
    }

    private static String code(HttpResponseException refused) {
        return refused instanceof TableServiceException table && table.getValue() != null
                ? String.valueOf(table.getValue().getErrorCode())
                : String.valueOf(refused.getResponse().getHeaderValue(ERROR_CODE));
    }

    /** The failure of a call, as its caller sees it. */
    record Failure(int status, String code) {}
}

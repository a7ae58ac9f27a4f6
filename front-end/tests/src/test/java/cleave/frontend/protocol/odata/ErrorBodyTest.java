package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorBodyTest {
    private static final long NOW = 17_145_504_000_000_000L + 1_234_500;

    @Test
    void jsonIsOneLineInTheServicesForm() {
        byte[] body = ErrorBody.json(ServiceCode.TABLE_NOT_FOUND, ServiceCode.TABLE_NOT_FOUND.text(), "id-1", NOW);
        assertThat(new String(body, StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"odata.error\":{\"code\":\"TableNotFound\",\"message\":{\"lang\":\"en-US\",\"value\":"
                                + "\"The table specified does not exist.\\nRequestId:id-1\\nTime:2024-05-01T08:00:00.1234500Z\"}}}");
    }

    @Test
    void timeHasSevenDigitsEvenWhenTheyAreZeros() {
        byte[] body = ErrorBody.json(ServiceCode.SERVER_BUSY, "Busy.", "id-1", 0);
        assertThat(new String(body, StandardCharsets.UTF_8)).contains("Time:1970-01-01T00:00:00.0000000Z");
    }

    @Test
    void xmlIsEscaped() {
        byte[] body = ErrorBody.xml(ServiceError.of(ServiceCode.INVALID_INPUT, "a<b>&\u0001"), "id-1", 0);
        assertThat(new String(body, StandardCharsets.UTF_8))
                .isEqualTo("<?xml version=\"1.0\" encoding=\"utf-8\"?><m:error"
                        + " xmlns:m=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\">"
                        + "<m:code>InvalidInput</m:code><m:message xml:lang=\"en-US\">a&lt;b&gt;&amp;\ufffd\nRequestId:id-1\n"
                        + "Time:1970-01-01T00:00:00.0000000Z</m:message></m:error>");
    }

    @ParameterizedTest
    @EnumSource
    void everyCodeHasANameAStatusAndAText(ServiceCode code) {
        assertThat(code.wireName()).matches("[A-Z][A-Za-z]+");
        assertThat(code.status()).isBetween(400, 503);
        assertThat(code.text()).isNotBlank();
        assertThat(Arrays.stream(ServiceCode.values()).map(ServiceCode::wireName))
                .doesNotHaveDuplicates();
    }

    @Test
    void errorsCarryNoStackTrace() {
        ServiceError error = ServiceError.of(ServiceCode.INVALID_AUTHENTICATION_INFO)
                .withStatus(401)
                .ofOperation(3, 5);
        assertThat(error.getStackTrace()).isEmpty();
        assertThat(error.status()).isEqualTo(401);
        assertThat(error.operation()).isEqualTo(3);
        assertThat(error.operations()).isEqualTo(5);
    }
}

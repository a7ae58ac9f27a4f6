package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorBodyTest {

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

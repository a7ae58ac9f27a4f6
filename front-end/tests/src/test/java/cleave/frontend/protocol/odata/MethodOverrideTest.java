package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MethodOverrideTest {
    private static Headers override(String... values) {
        return name -> name.equalsIgnoreCase("X-HTTP-Method") ? List.of(values) : List.of();
    }

    @ParameterizedTest
    @CsvSource({"POST,MERGE", "POST,PATCH", "MERGE,MERGE", "PATCH,MERGE"})
    void mergeIsTunnelledByPostAndMayBeSaidTwice(String verb, String value) {
        assertThat(MethodOverride.resolve(verb, override(value))).isEqualTo(Method.MERGE);
    }

    @Test
    void misuseHasItsOwnErrors() {
        Refused.with(ServiceCode.X_METHOD_NOT_USING_POST, () -> MethodOverride.resolve("GET", override("MERGE")));
        Refused.with(ServiceCode.X_METHOD_INCORRECT_VALUE, () -> MethodOverride.resolve("POST", override("DELETE")));
        Refused.with(ServiceCode.X_METHOD_INCORRECT_VALUE, () -> MethodOverride.resolve("POST", override("")));
        Refused.with(
                ServiceCode.X_METHOD_INCORRECT_COUNT, () -> MethodOverride.resolve("POST", override("MERGE", "MERGE")));
        Refused.with(
                ServiceCode.X_METHOD_INCORRECT_COUNT, () -> MethodOverride.resolve("POST", override("MERGE,MERGE")));
    }

    @ParameterizedTest
    @CsvSource({"TRACE", "get", "''", "MKCOL"})
    void otherVerbsAreNotAllowed(String verb) {
        Refused.with(ServiceCode.METHOD_NOT_ALLOWED, () -> MethodOverride.resolve(verb, Headers.NONE));
    }
}

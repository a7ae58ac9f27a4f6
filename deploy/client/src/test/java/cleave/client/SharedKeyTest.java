package cleave.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharedKeyTest {
    /** HMAC-SHA256 of "Fri, 20 Nov 2026 12:00:00 GMT\n/devstoreaccount1/devstoreaccount1/Tables", by openssl. */
    @Test
    void signsByTheRuleOfSharedKeyLite() {
        String authorization = Endpoint.development(10002)
                .sharedKey()
                .lite("Fri, 20 Nov 2026 12:00:00 GMT", "/devstoreaccount1/Tables", "");

        assertThat(authorization)
                .isEqualTo("SharedKeyLite devstoreaccount1:QOtB17w4EEFDOdSehHHanFx7VxVSIdZIJBrQ/EF4ewI=");
    }
}

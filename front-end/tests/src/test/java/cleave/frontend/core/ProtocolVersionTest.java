package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.ProtocolVersion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtocolVersionTest {
    private final CoreClient client = new CoreClient();

    @ParameterizedTest
    @CsvSource({
        ",,2019-02-02",
        "2020-12-06,,2020-12-06",
        "2020-12-06,$top=1,2020-12-06",
        ",sv=2021-01-01,2021-01-01",
        "2020-12-06,sv=2021-01-01,2020-12-06",
        "2020-12-06,sv=2021-01-01&api-version=2022-02-02,2022-02-02",
        ",api-version=2022-02-02,2022-02-02",
        "2020-12-06,api-version=none,2020-12-06",
        "2020-12-06,api-version=2022-02-02&api-version=2022-02-03,2020-12-06",
        "2020-12-06,api-version=%zz,2020-12-06",
        "none,sv=none,2019-02-02"
    })
    void theAnswerNamesTheVersionThatCounts(String header, String query, String echoed) {
        SignedHeaders headers = new SignedHeaders();

        assertThat(ProtocolVersion.echo(header == null ? headers : headers.with("x-ms-version", header), query))
                .isEqualTo(echoed);
    }

    @ParameterizedTest
    @CsvSource({"2022-02-02,200", "2009-09-19,200", "2009-09-18,400", "none,400"})
    void aVersionInTheQueryIsChecked(String version, int status) {
        assertThat(client.ask("GET", "/Tables?api-version=" + version).status()).isEqualTo(status);
    }
}

package cleave.frontend.protocol.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.service.ServiceProperties.Logging;
import cleave.frontend.protocol.service.ServiceProperties.Metrics;
import cleave.frontend.protocol.service.ServiceProperties.Retention;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServicePropertiesXmlTest {
    private static final String OFF = "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>";

    private static ServiceProperties read(String elements) {
        return ServicePropertiesXml.read(
                Body.of("\ufeff<?xml version='1.0' encoding='utf-8'?>\n<StorageServiceProperties>" + elements
                        + "</StorageServiceProperties>"));
    }

    private static void assertRefused(String elements, String code) {
        assertThatThrownBy(() -> read(elements))
                .as(elements)
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error -> assertThat(error.code().wireName()).isEqualTo(code));
    }

    private static String rule(String origins, String methods, String allowed, String exposed, String maxAge) {
        return "<CorsRule><AllowedOrigins>" + origins + "</AllowedOrigins><AllowedMethods>" + methods
                + "</AllowedMethods><AllowedHeaders>" + allowed + "</AllowedHeaders><ExposedHeaders>" + exposed
                + "</ExposedHeaders><MaxAgeInSeconds>" + maxAge + "</MaxAgeInSeconds></CorsRule>";
    }

    private static String cors(String... rules) {
        return "<Cors>" + String.join("\n ", rules) + "</Cors>";
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        ServiceProperties properties = new ServiceProperties(
                new Logging(true, false, true, new Retention(true, 365)),
                new Metrics(true, false, new Retention(true, 1)),
                new Metrics(true, true, new Retention(false, 0)),
                List.of(
                        new CorsRule(List.of("*"), List.of("GET"), List.of(), List.of(), 0),
                        new CorsRule(
                                List.of("http://a", "https://b:8080"),
                                List.of("MERGE", "PATCH"),
                                List.of("x-ms-meta-*", "accept"),
                                List.of("*"),
                                Integer.MAX_VALUE)));

        assertThat(ServicePropertiesXml.read(Body.of(ServicePropertiesXml.write(properties))))
                .isEqualTo(properties);
        assertThat(ServicePropertiesXml.read(Body.of(ServicePropertiesXml.write(ServiceProperties.DEFAULT))))
                .isEqualTo(ServiceProperties.DEFAULT);
    }

    @Test
    void rulesAreWrittenInTheOrderOfTheService() {
        ServiceProperties rules = read(cors(rule(" http://a , http://b ", "get, PUT", "x-a , x-b", "", "7")));

        assertThat(new String(ServicePropertiesXml.write(rules), StandardCharsets.UTF_8))
                .isEqualTo("\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><StorageServiceProperties><Cors><CorsRule>"
                        + "<AllowedMethods>GET,PUT</AllowedMethods><AllowedOrigins>http://a,http://b</AllowedOrigins>"
                        + "<AllowedHeaders>x-a,x-b</AllowedHeaders><ExposedHeaders />"
                        + "<MaxAgeInSeconds>7</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>");
    }

    @Test
    void whatIsNotEnabledSaysNoMore() {
        ServiceProperties read = read(
                "<HourMetrics><Version>1.0</Version><Enabled>False</Enabled><IncludeAPIs>true"
                        + "</IncludeAPIs><RetentionPolicy><Enabled>false</Enabled><Days>0</Days></RetentionPolicy></HourMetrics>");

        assertThat(read.hourMetrics()).isEqualTo(new Metrics(false, false, new Retention(false, 0)));
        assertThat(read.logging()).isNull();
        assertThat(read.minuteMetrics()).isNull();
        assertThat(read.cors()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<Other/>",
                "text",
                "<Cors/><Cors/>",
                "<Logging/>",
                "<Logging><Version>1.0</Version><Read>true</Read><Write>true</Write>" + OFF + "</Logging>",
                "<HourMetrics><Version>1.0</Version><Enabled>true</Enabled>" + OFF + "</HourMetrics>",
                "<HourMetrics><Version>1.0</Version><Enabled>false</Enabled></HourMetrics>",
                "<HourMetrics><Enabled>false</Enabled>" + OFF + "</HourMetrics>",
                "<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy/></MinuteMetrics>",
                "<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>true</Enabled>"
                        + "</RetentionPolicy></MinuteMetrics>",
                "<Cors><Other/></Cors>",
                "<Cors><CorsRule/></Cors>",
                "<Cors><CorsRule><AllowedMethods>GET</AllowedMethods></CorsRule></Cors>"
            })
    void elementsHaveTheirPlacesAndNoOthers(String elements) {
        assertRefused(elements, "InvalidXmlDocument");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<HourMetrics><Version>2.0</Version><Enabled>false</Enabled>" + OFF + "</HourMetrics>",
                "<HourMetrics><Version>1.0</Version><Enabled>maybe</Enabled>" + OFF + "</HourMetrics>",
                "<HourMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>true</Enabled>"
                        + "<Days>-1</Days></RetentionPolicy></HourMetrics>",
                "<HourMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>true</Enabled>"
                        + "<Days>99999999999</Days></RetentionPolicy></HourMetrics>"
            })
    void valuesAreChecked(String elements) {
        assertRefused(elements, "InvalidXmlNodeValue");
    }

    @Test
    void valuesOfRulesAreChecked() {
        for (String wrong : List.of(
                rule("", "GET", "", "", "1"),
                rule("http://a", "", "", "", "1"),
                rule("http://a", "GET,TRACE", "", "", "1"),
                rule("http://a", "GET", "a b", "", "1"),
                rule("http://a", "GET", "", "a&#10;b", "1"),
                rule("http://a", "GET", "", "\u00e4", "1"),
                rule("http://a", "GET", "a*b", "", "1"),
                rule("http://a", "GET", "", "", "-1"),
                rule("http://a", "GET", "", "", ""))) {
            assertRefused(cors(wrong), "InvalidXmlNodeValue");
        }
    }
}

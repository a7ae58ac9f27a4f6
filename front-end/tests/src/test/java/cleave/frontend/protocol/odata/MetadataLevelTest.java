package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetadataLevelTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "-|application/json;odata=nometadata|NONE",
                "-|application/json;odata=minimalmetadata|MINIMAL",
                "-|application/json;odata=fullmetadata|FULL",
                "-|application/json; odata=fullmetadata|FULL",
                "-|Application/JSON;OData=FullMetadata|FULL",
                "-|application/json;charset=utf-8;odata=nometadata|NONE",
                "-|application/json|MINIMAL",
                "-|*/*|MINIMAL",
                "-|application/atom+xml,application/json;odata=nometadata|NONE",
                "-|text/html, */*;q=0.1|MINIMAL",
                "application/json;odata=fullmetadata|application/json;odata=minimalmetadata|FULL",
                "application/json;odata=fullmetadata|-|FULL",
                "json|-|MINIMAL",
                "''|application/json;odata=nometadata|NONE",
            })
    void formatWinsOverAccept(String format, String accept, MetadataLevel level) {
        assertThat(MetadataLevel.negotiate(format, accept)).isEqualTo(level);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "-|-|ATOM_FORMAT_NOT_SUPPORTED",
                "-|''|ATOM_FORMAT_NOT_SUPPORTED",
                "-|application/atom+xml|ATOM_FORMAT_NOT_SUPPORTED",
                "atom|application/json|ATOM_FORMAT_NOT_SUPPORTED",
                "-|application/json;odata=verbose|JSON_VERBOSE_FORMAT_NOT_SUPPORTED",
                "-|application/json;odata=allmetadata|MEDIA_TYPE_NOT_SUPPORTED",
                "-|text/html|MEDIA_TYPE_NOT_SUPPORTED",
                "-|;;;=,|MEDIA_TYPE_NOT_SUPPORTED",
            })
    void otherFormatsAreNotSupported(String format, String accept, ServiceCode code) {
        assertThat(Refused.with(code, () -> MetadataLevel.negotiate(format, accept))
                        .status())
                .isEqualTo(415);
    }

    @Test
    void contentTypeIsTheServicesOwn() {
        assertThat(MetadataLevel.MINIMAL.contentType())
                .isEqualTo("application/json;odata=minimalmetadata;streaming=true;charset=utf-8");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "-,NONE,-,true",
                "return-content,RETURN_CONTENT,return-content,true",
                "Return-No-Content,RETURN_NO_CONTENT,return-no-content,false",
                "respond-async,NONE,-,true",
                "'respond-async, return-no-content',RETURN_NO_CONTENT,return-no-content,false"
            })
    void preferenceIsEchoedOnlyWhenSaid(String header, Prefer prefer, String applied, boolean wantsContent) {
        assertThat(Prefer.parse(header)).isEqualTo(prefer);
        assertThat(prefer.applied()).isEqualTo(applied);
        assertThat(prefer.wantsContent()).isEqualTo(wantsContent);
    }
}

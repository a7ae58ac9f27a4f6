package cleave.frontend.request;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.atom.AtomFormat;
import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.ProtocolVersion;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PayloadFormatsTest {
    private static PayloadFormats in(String version) {
        return new PayloadFormats(new ProtocolVersion(version), 0);
    }

    private static Headers header(String name, @Nullable String value) {
        return asked -> value != null && asked.equals(name) ? List.of(value) : List.of();
    }

    private static QueryString format(@Nullable String format) {
        return QueryString.parse(format == null ? null : "$format=" + format);
    }

    private static String name(AnswerFormat format) {
        return format instanceof AtomFormat ? "ATOM" : String.valueOf(format);
    }

    /** The refusal's code, or else the name of the format. */
    private static String asked(String version, @Nullable String format, @Nullable String accept, boolean inBatch) {
        try {
            return name(in(version).negotiate(format(format), header("Accept", accept), inBatch));
        } catch (ServiceError refused) {
            assertThat(refused.status()).isEqualTo(415);
            return refused.code().name();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "2015-12-10|-|-|ATOM|ATOM",
                "2015-12-10|-|application/atom+xml,application/xml|ATOM|ATOM",
                "2015-12-10|-|application/atom+xml,application/json|ATOM|ATOM",
                "2015-12-10|-|application/json;odata=nometadata,application/atom+xml|NONE|NONE",
                "2015-12-10|atom|application/json|ATOM|ATOM",
                "2015-12-10|-|*/*|MINIMAL|MINIMAL",
                "2013-08-15|-|*/*|MINIMAL|MINIMAL",
                "2012-02-12|-|*/*|ATOM|ATOM",
                "2012-02-12|-|application/json|MINIMAL|MINIMAL",
                "2012-02-12|-|text/html|MEDIA_TYPE_NOT_SUPPORTED|MEDIA_TYPE_NOT_SUPPORTED",
                "2015-12-11|-|-|ATOM_FORMAT_NOT_SUPPORTED|MINIMAL",
                "2015-12-11|-|application/atom+xml|ATOM_FORMAT_NOT_SUPPORTED|ATOM_FORMAT_NOT_SUPPORTED",
                "2019-02-02|-|application/atom+xml,application/json|MINIMAL|MINIMAL"
            })
    void atomIsThereForVersionsBefore2015December(
            String version, @Nullable String format, @Nullable String accept, String answer, String inBatch) {
        assertThat(asked(version, format, accept, false)).isEqualTo(answer);
        assertThat(asked(version, format, accept, true)).isEqualTo(inBatch);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "2014-02-14,-,ATOM,ATOM",
                "2014-02-14,application/json;odata=fullmetadata,FULL,MINIMAL",
                "2014-02-14,text/html,MINIMAL,MINIMAL",
                "2019-02-02,-,MINIMAL,MINIMAL",
                "2019-02-02,application/json;odata=nometadata,NONE,MINIMAL"
            })
    void errorsAreInTheFormatThatWasAskedFor(
            String version, @Nullable String accept, String error, String ofChangeset) {
        assertThat(name(in(version).ofError(null, accept))).isEqualTo(error);
        assertThat(name(in(version).ofRefusal(format(null), header("Accept", accept))))
                .isEqualTo(ofChangeset);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "2019-02-02,-,-",
                "2019-02-02,'',-",
                "2019-02-02,application/json;odata=nometadata,-",
                "2019-02-02,application/json;odata=verbose,JSON_VERBOSE_FORMAT_NOT_SUPPORTED",
                "2019-02-02,text/plain,MEDIA_TYPE_NOT_SUPPORTED",
                "2015-12-11,application/atom+xml,ATOM_FORMAT_NOT_SUPPORTED",
                "2015-12-10,application/json,-",
                "2015-12-10,'application/atom+xml;charset=\"utf-8\";type=entry',-",
                "2011-08-18,text/plain,MEDIA_TYPE_NOT_SUPPORTED"
            })
    void bodiesAreJsonOrInOldVersionsAtom(String version, @Nullable String contentType, @Nullable ServiceCode code) {
        ServiceCode refused = null;
        try {
            in(version).checkType(header("Content-Type", contentType));
        } catch (ServiceError error) {
            refused = error.code();
        }
        assertThat(refused).isEqualTo(code);
    }

    @Test
    void theTypeOfABodySaysHowItIsRead() {
        Body atom = Body.of("<entry xmlns='http://www.w3.org/2005/Atom'"
                + " xmlns:m='http://schemas.microsoft.com/ado/2007/08/dataservices/metadata'"
                + " xmlns:d='http://schemas.microsoft.com/ado/2007/08/dataservices'>"
                + "<content><m:properties><d:TableName>Orders</d:TableName></m:properties></content></entry>");
        Headers type = header("Content-Type", "application/atom+xml");
        assertThat(in("2014-02-14").tableName(type, atom)).isEqualTo("Orders");
        assertThat(in("2014-02-14").tableName(Headers.NONE, Body.of("{\"TableName\":\"Orders\"}")))
                .isEqualTo("Orders");
        assertThat(in("2014-02-14").entity(Headers.NONE, Body.of("{}"))).isNotNull();
    }
}

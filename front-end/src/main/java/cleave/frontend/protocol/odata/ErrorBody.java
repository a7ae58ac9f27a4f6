package cleave.frontend.protocol.odata;

import java.nio.charset.StandardCharsets;

/** The bodies of errors. */
public final class ErrorBody {
    /** Content-Type of the XML form. */
    public static final String XML_CONTENT_TYPE = "application/xml";

    private static final String NAMESPACE = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata";

    private ErrorBody() {}

    /** {@code {"odata.error":...}} on one line: the form of errors about entities and tables. */
    static byte[] json(ServiceCode code, String text, String requestId, long nowTicks) {
        return TableJson.written(json -> {
            json.writeStartObject();
            json.writeObjectFieldStart("odata.error");
            json.writeStringField("code", code.wireName());
            json.writeObjectFieldStart("message");
            json.writeStringField("lang", "en-US");
            json.writeStringField("value", message(text, requestId, nowTicks));
            json.writeEndObject();
            json.writeEndObject();
            json.writeEndObject();
        });
    }

    /** {@code <m:error>}, for refused authorization where the client does not accept JSON. */
    public static byte[] xml(ServiceError error, String requestId, long nowTicks) {
        String document = "<?xml version=\"1.0\" encoding=\"utf-8\"?><m:error xmlns:m=\"" + NAMESPACE + "\"><m:code>"
                + error.code().wireName() + "</m:code><m:message xml:lang=\"en-US\">"
                + XmlText.escaped(message(error.text(), requestId, nowTicks)) + "</m:message></m:error>";
        return document.getBytes(StandardCharsets.UTF_8);
    }

    /** The text of an error with the request and the time that it is about. */
    public static String message(String text, String requestId, long nowTicks) {
        return Text.withoutLoneSurrogates(text) + "\nRequestId:" + requestId + "\nTime:"
                + DateTimeText.sevenDigits(nowTicks);
    }
}

package cleave.frontend.request;

import cleave.frontend.protocol.odata.ErrorBody;
import cleave.frontend.protocol.odata.Payload;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request, without the headers that all answers share. Immutable.
 *
 * @param body may be empty; its type is among the headers
 * @param isPlain without the headers that forbid caching and content sniffing, as all answers that are not JSON
 */
@SuppressWarnings("ArrayRecordComponent") // An answer is never compared.
public record Answer(int status, List<Header> headers, byte[] body, boolean isPlain) {
    private static final byte[] NO_BODY = new byte[0];

    public Answer {
        headers = List.copyOf(headers);
    }

    /** One header field. Immutable. */
    public record Header(String name, String value) {}

    public static Answer of(int status) {
        return new Answer(status, List.of(), NO_BODY, false);
    }

    public static Answer of(int status, String contentType, byte[] body) {
        return new Answer(status, List.of(new Header("Content-Type", contentType)), body, false);
    }

    public static Answer of(int status, Payload payload) {
        return of(status, payload.contentType(), payload.bytes());
    }

    public static Answer plain(int status) {
        return new Answer(status, List.of(), NO_BODY, true);
    }

    public static Answer xml(int status, byte[] body) {
        return new Answer(status, List.of(new Header("Content-Type", ErrorBody.XML_CONTENT_TYPE)), body, true);
    }

    /** This answer with one more header, unless its value is null. */
    public Answer with(String name, @Nullable String value) {
        if (value == null) {
            return this;
        }
        Header[] more = headers.toArray(new Header[headers.size() + 1]);
        more[headers.size()] = new Header(name, value);
        return new Answer(status, List.of(more), body, isPlain);
    }

    /** The value of a header; null if it is absent. */
    public @Nullable String header(String name) {
        for (Header header : headers) {
            if (header.name().equalsIgnoreCase(name)) {
                return header.value();
            }
        }
        return null;
    }
}

package cleave.frontend.protocol.service;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.xml.XmlInput;
import java.util.Locale;
import java.util.Set;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads a small XML document in UTF-8, element by element. Confined to one parse. An element that its caller does not expect ends the
 * parse, so the caller's grammar bounds depth and size. Attributes are ignored. Nothing outside of the document is ever read: a document
 * type, an entity or a processing instruction is refused like a syntax error.
 */
final class XmlReader {
    /** Many times the size of the largest legal document. */
    private static final int BYTES_MAX = 64 << 10;

    private final XMLStreamReader xml;

    /** Begins to read; the root must have this name. */
    XmlReader(Body body, String root) {
        xml = open(body);
        if (!root.equals(child())) {
            throw malformed();
        }
    }

    private static XMLStreamReader open(Body body) {
        if (body.length() > BYTES_MAX) {
            throw ServiceError.of(ServiceCode.REQUEST_BODY_TOO_LARGE);
        }
        try {
            return XmlInput.open(body);
        } catch (XMLStreamException malformed) {
            throw malformed();
        }
    }

    /** Enters the next element inside the current one and gives its name; null, and the current one is left, if there is none. */
    @Nullable
    String child() {
        while (true) {
            int event = next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                return xml.getLocalName();
            }
            if (event == XMLStreamConstants.END_ELEMENT) {
                return null;
            }
            if (!isBlank(event)) {
                throw malformed();
            }
        }
    }

    /** Reads as {@link #child()} does; refuses a name that was seen, and notes it. */
    @Nullable
    String childOnce(Set<String> seen) {
        String name = child();
        if (name != null && !seen.add(name)) {
            throw malformed();
        }
        return name;
    }

    /** The text of the current element, which holds nothing else, and leaves it. */
    String text() {
        StringBuilder text = new StringBuilder();
        while (true) {
            int event = next();
            if (event == XMLStreamConstants.END_ELEMENT) {
                return text.toString();
            }
            if (XmlInput.isText(event)) {
                text.append(xml.getText());
            } else if (event != XMLStreamConstants.COMMENT) {
                throw malformed();
            }
        }
    }

    /** The text of the current element as a boolean, and leaves it. */
    boolean flag() {
        return switch (text().strip().toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw badValue();
        };
    }

    /** The number that a text writes, from 0 up. */
    static int number(String text) {
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Refused below, like a negative one.
        }
        throw badValue();
    }

    /** The root was left; refuses what stands behind it. */
    void end() {
        int event = next();
        while (event != XMLStreamConstants.END_DOCUMENT) {
            if (!isBlank(event)) {
                throw malformed();
            }
            event = next();
        }
    }

    private int next() {
        try {
            return xml.next();
        } catch (XMLStreamException malformed) {
            throw malformed();
        }
    }

    private boolean isBlank(int event) {
        return event == XMLStreamConstants.COMMENT
                || (XmlInput.isText(event) && xml.getText().isBlank());
    }

    static ServiceError malformed() {
        return ServiceError.of(ServiceCode.INVALID_XML_DOCUMENT);
    }

    static ServiceError badValue() {
        return ServiceError.of(ServiceCode.INVALID_XML_NODE_VALUE);
    }
}

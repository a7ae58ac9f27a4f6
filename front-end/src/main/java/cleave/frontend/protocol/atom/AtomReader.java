package cleave.frontend.protocol.atom;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.EntityMembers;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.xml.XmlInput;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries in the bodies of writes: {@code entry/content/m:properties}, and the properties in it. Confined to one body. What else
 * is in an entry is passed over.
 */
public final class AtomReader {
    /** The nesting of elements that are passed over: an author has a name. */
    private static final int DEPTH_MAX = 8;

    private final XMLStreamReader xml;
    private final EntityMembers members = new EntityMembers();

    private AtomReader(XMLStreamReader xml) {
        this.xml = xml;
    }

    /** The properties of an entry. */
    public static EntityMembers read(Body body) {
        try {
            return new AtomReader(XmlInput.open(body)).entry();
        } catch (XMLStreamException malformed) {
            throw malformed();
        }
    }

    private static ServiceError malformed() {
        return Body.malformed("The body is no well-formed Atom entry in UTF-8.");
    }

    private EntityMembers entry() throws XMLStreamException {
        if (!child() || !is(Xmlns.ATOM, "entry")) {
            throw malformed();
        }
        boolean hasContent = false;
        while (child()) {
            if (!is(Xmlns.ATOM, "content")) {
                skip();
            } else if (hasContent) {
                throw malformed();
            } else {
                hasContent = true;
                content();
            }
        }
        int event = xml.next();
        while (event != XMLStreamConstants.END_DOCUMENT) {
            checkBlank(event);
            event = xml.next();
        }
        return members;
    }

    private void content() throws XMLStreamException {
        if (!child() || !is(Xmlns.METADATA, "properties")) {
            throw malformed();
        }
        while (child()) {
            property();
        }
        if (child()) {
            throw malformed();
        }
    }

    private void property() throws XMLStreamException {
        if (!Xmlns.DATA.equals(xml.getNamespaceURI())) {
            throw malformed();
        }
        String name = xml.getLocalName();
        String type = xml.getAttributeValue(Xmlns.METADATA, "type");
        String isNull = xml.getAttributeValue(Xmlns.METADATA, "null");
        String text = text();
        if (type != null) {
            members.annotate(name, type);
        }
        members.add(name, "true".equals(isNull) || "1".equals(isNull) ? null : inJson(type, text));
    }

    /** The texts that XML has for values for which JSON has others. */
    private static String inJson(@Nullable String type, String text) {
        if (type == null || text.length() > 4) {
            return text;
        }
        return switch (type + " " + text) {
            case "Edm.Double INF" -> "Infinity";
            case "Edm.Double -INF" -> "-Infinity";
            case "Edm.Boolean 1" -> "true";
            case "Edm.Boolean 0" -> "false";
            default -> text;
        };
    }

    private boolean is(String namespace, String name) {
        return namespace.equals(xml.getNamespaceURI()) && name.equals(xml.getLocalName());
    }

    /** Enters the next element inside the current one; false, and the current one is left, if there is none. */
    private boolean child() throws XMLStreamException {
        while (true) {
            int event = xml.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                return true;
            }
            if (event == XMLStreamConstants.END_ELEMENT) {
                return false;
            }
            checkBlank(event);
        }
    }

    private void checkBlank(int event) {
        if (event != XMLStreamConstants.COMMENT
                && !(XmlInput.isText(event) && xml.getText().isBlank())) {
            throw malformed();
        }
    }

    /** The text of the current element, which holds nothing else, and leaves it. */
    private String text() throws XMLStreamException {
        StringBuilder text = new StringBuilder();
        while (true) {
            int event = xml.next();
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

    /** Leaves the current element, whatever it holds. */
    private void skip() throws XMLStreamException {
        for (int depth = 1; depth > 0; ) {
            int event = xml.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                depth++;
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                depth--;
            } else if (event == XMLStreamConstants.END_DOCUMENT) {
                throw malformed();
            }
            if (depth > DEPTH_MAX) {
                throw malformed();
            }
        }
    }
}

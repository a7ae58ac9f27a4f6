package cleave.frontend.protocol.atom;

import cleave.frontend.protocol.odata.BaseUri;
import cleave.model.Ticks;
import java.io.ByteArrayOutputStream;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/** Writes one document, on one line, because a client joins the lines of a batch's answer. Confined to its document. */
final class AtomWriter {
    private static final int SECONDS_AT = "2024-05-01T08:00:00".length();

    private final BaseUri base;
    private final String updated;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(2048);
    private final XMLStreamWriter xml;
    private boolean hasRoot;

    AtomWriter(BaseUri base, long nowTicks) {
        this.base = base;
        this.updated = Ticks.format(nowTicks).substring(0, SECONDS_AT) + "Z";
        this.xml = open(out);
    }

    /** Writing to memory cannot fail. */
    @FunctionalInterface
    private interface Step {
        void write() throws XMLStreamException;
    }

    private static void write(Step step) {
        try {
            step.write();
        } catch (XMLStreamException e) {
            throw new AssertionError("writing to memory", e);
        }
    }

    private static XMLStreamWriter open(ByteArrayOutputStream out) {
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out, "UTF-8");
            xml.writeStartDocument("utf-8", "1.0");
            return xml;
        } catch (XMLStreamException e) {
            throw new AssertionError("writing to memory", e);
        }
    }

    /** @param name of the table, or of the list of tables */
    void beginFeed(String name) {
        write(() -> {
            begin("feed");
            leaf("id", base.text() + "/" + name);
            xml.writeStartElement("title");
            xml.writeAttribute("type", "text");
            xml.writeCharacters(name);
            xml.writeEndElement();
            leaf("updated", updated);
            link("self", name, name);
        });
    }

    /** @param etag null: an entry of a table, which has none */
    void beginEntry(@Nullable String etag) {
        write(() -> {
            begin("entry");
            if (etag != null) {
                xml.writeAttribute("m", Xmlns.METADATA, "etag", etag);
            }
        });
    }

    /** The root declares the namespaces, with the prefixes that clients without a notion of namespaces look for. */
    private void begin(String name) throws XMLStreamException {
        xml.writeStartElement("", name, Xmlns.ATOM);
        if (!hasRoot) {
            hasRoot = true;
            xml.writeAttribute("xml", XMLConstants.XML_NS_URI, "base", base.text() + "/");
            xml.writeDefaultNamespace(Xmlns.ATOM);
            xml.writeNamespace("d", Xmlns.DATA);
            xml.writeNamespace("m", Xmlns.METADATA);
        }
    }

    /** The metadata of an entry. */
    void describe(String id, String table, String editLink) {
        write(() -> {
            leaf("id", id);
            xml.writeEmptyElement("category");
            xml.writeAttribute("term", base.account() + "." + table);
            xml.writeAttribute("scheme", Xmlns.SCHEME);
            link("edit", table, editLink);
            xml.writeEmptyElement("title");
            leaf("updated", updated);
            xml.writeStartElement("author");
            xml.writeEmptyElement("name");
            xml.writeEndElement();
        });
    }

    private void link(String rel, String title, String href) throws XMLStreamException {
        xml.writeEmptyElement("link");
        xml.writeAttribute("rel", rel);
        xml.writeAttribute("title", title);
        xml.writeAttribute("href", href);
    }

    private void leaf(String name, String text) throws XMLStreamException {
        xml.writeStartElement(name);
        xml.writeCharacters(text);
        xml.writeEndElement();
    }

    void beginProperties() {
        write(() -> {
            xml.writeStartElement("content");
            xml.writeAttribute("type", "application/xml");
            xml.writeStartElement("m", "properties", Xmlns.METADATA);
        });
    }

    /** @param type null: a text, which says no type */
    void property(String name, @Nullable String type, String text) {
        write(() -> {
            xml.writeStartElement("d", name, Xmlns.DATA);
            if (type != null) {
                xml.writeAttribute("m", Xmlns.METADATA, "type", type);
            }
            text(xml, text);
            xml.writeEndElement();
        });
    }

    /** A property that is null. */
    void nothing(String name) {
        write(() -> {
            xml.writeEmptyElement("d", name, Xmlns.DATA);
            xml.writeAttribute("m", Xmlns.METADATA, "null", "true");
        });
    }

    void endProperties() {
        end();
        end();
    }

    /** Ends the innermost element. */
    void end() {
        write(xml::writeEndElement);
    }

    /** The bytes so far, but for some that the library holds. */
    long size() {
        return out.size();
    }

    byte[] bytes() {
        write(xml::close);
        return out.toByteArray();
    }

    static byte[] error(String code, String message) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        XMLStreamWriter xml = open(out);
        write(() -> {
            xml.writeStartElement("", "error", Xmlns.METADATA);
            xml.writeDefaultNamespace(Xmlns.METADATA);
            xml.writeStartElement("code");
            xml.writeCharacters(code);
            xml.writeEndElement();
            xml.writeStartElement("message");
            xml.writeAttribute("xml", XMLConstants.XML_NS_URI, "lang", "en-US");
            text(xml, message);
            xml.writeEndElement();
            xml.writeEndElement();
            xml.close();
        });
        return out.toByteArray();
    }

    /**
     * A carriage return would be read as a line feed, so it is a reference. So are characters that XML does not have, as the service wrote
     * them: strict parsers refuse them, and others get what is stored.
     */
    private static void text(XMLStreamWriter xml, String text) throws XMLStreamException {
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t' && c != '\n') || c == '\ufffe' || c == '\uffff') {
                xml.writeCharacters(text.substring(from, i));
                xml.writeEntityRef("#x" + Integer.toHexString(c));
                from = i + 1;
            }
        }
        xml.writeCharacters(text.substring(from));
    }
}

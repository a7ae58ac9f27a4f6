package cleave.frontend.protocol.service;

import cleave.frontend.protocol.odata.XmlText;
import java.nio.charset.StandardCharsets;

/** Writes a document as the service does: UTF-8 with a byte order mark, on one line. Confined to one document. */
final class XmlWriter {
    private final StringBuilder text =
            new StringBuilder(512).append("\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?>");

    XmlWriter open(String name) {
        text.append('<').append(name).append('>');
        return this;
    }

    XmlWriter close(String name) {
        text.append("</").append(name).append('>');
        return this;
    }

    XmlWriter empty(String name) {
        text.append('<').append(name).append(" />");
        return this;
    }

    XmlWriter leaf(String name, String value) {
        if (value.isEmpty()) {
            return empty(name);
        }
        open(name);
        text.append(XmlText.escaped(value));
        return close(name);
    }

    byte[] bytes() {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}

package cleave.frontend.protocol.xml;

import cleave.frontend.protocol.odata.Body;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Opens XML documents of clients. Stateless. They are UTF-8, whatever they say, and nothing outside of them is ever read: there is no
 * document type, and so no entity.
 */
public final class XmlInput {
    private static final char BYTE_ORDER_MARK = '\ufeff';

    private XmlInput() {}

    /** A reader before the start of the document. Refuses what is not UTF-8, and a document type. */
    public static XMLStreamReader open(Body body) throws XMLStreamException {
        String text = text(body);
        if (text.contains("<!DOCTYPE")) {
            throw new XMLStreamException("a document type"); // At malformed ones the library fails unpredictably.
        }
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        return factory.createXMLStreamReader(new StringReader(text));
    }

    private static String text(Body body) throws XMLStreamException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body.array(), body.offset(), body.length()))
                    .toString();
            return text.indexOf(BYTE_ORDER_MARK) == 0 ? text.substring(1) : text;
        } catch (CharacterCodingException notUtf8) {
            throw new XMLStreamException("not UTF-8", notUtf8);
        }
    }

    /** True if the parser's event is text. */
    public static boolean isText(int event) {
        return event == XMLStreamReader.CHARACTERS || event == XMLStreamReader.CDATA || event == XMLStreamReader.SPACE;
    }
}

package cleave.objects;

import cleave.objects.StoreFailure.Kind;
import java.io.ByteArrayInputStream;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/** Reads a page of the Blob service's list of blobs. Stateless. */
final class BlobList {
    private BlobList() {}

    static ObjectStore.Page parse(byte[] xml) throws StoreFailure {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        try {
            XMLStreamReader in = factory.createXMLStreamReader(new ByteArrayInputStream(xml));
            try {
                return page(in);
            } finally {
                in.close();
            }
        } catch (XMLStreamException | NumberFormatException other) {
            throw new StoreFailure(
                    Kind.REFUSED, "the list of blobs is none: " + other.getMessage() + "; is --endpoint right?");
        }
    }

    private static ObjectStore.Page page(XMLStreamReader in) throws XMLStreamException {
        TreeMap<String, Long> objects = new TreeMap<>();
        TreeSet<String> folders = new TreeSet<>();
        @Nullable String next = null;
        String name = "";
        long length = 0;
        while (in.hasNext()) {
            int event = in.next();
            if (event == XMLStreamReader.START_ELEMENT) {
                switch (in.getLocalName()) {
                    case "Name" -> name = in.getElementText();
                    case "Content-Length" -> length = Long.parseLong(in.getElementText());
                    case "NextMarker" -> next = in.getElementText();
                    default -> {
                        // Of no interest.
                    }
                }
            } else if (event == XMLStreamReader.END_ELEMENT && in.getLocalName().equals("Blob")) {
                objects.put(name, length);
            } else if (event == XMLStreamReader.END_ELEMENT && in.getLocalName().equals("BlobPrefix")) {
                folders.add(name.replaceAll("/$", ""));
            }
        }
        return new ObjectStore.Page(objects, folders, next == null || next.isEmpty() ? null : next);
    }
}

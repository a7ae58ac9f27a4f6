package cleave.frontend.protocol.atom;

import cleave.frontend.protocol.odata.EntityPage;
import cleave.frontend.protocol.odata.EntityView;
import cleave.frontend.protocol.odata.Payload;
import cleave.model.Key;

/** Writes a page of a query as a feed. Confined to one page. */
final class AtomPage implements EntityPage {
    private final AtomWriter xml;
    private final AtomEntities entities;

    AtomPage(AtomWriter xml, EntityView view) {
        this.xml = xml;
        this.entities = new AtomEntities(xml, view);
        xml.beginFeed(view.table());
    }

    @Override
    public void add(Key key, byte[] stored) {
        entities.entry(key, stored);
    }

    @Override
    public long size() {
        return xml.size();
    }

    @Override
    public Payload finish() {
        xml.end();
        return new Payload(AtomFormat.FEED_TYPE, xml.bytes());
    }
}

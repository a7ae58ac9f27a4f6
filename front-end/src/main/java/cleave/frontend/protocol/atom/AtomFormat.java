package cleave.frontend.protocol.atom;

import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.EntityPage;
import cleave.frontend.protocol.odata.EntityView;
import cleave.frontend.protocol.odata.ErrorBody;
import cleave.frontend.protocol.odata.Payload;
import cleave.frontend.protocol.odata.Selection;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.model.Key;
import java.util.List;

/**
 * Answers in Atom. Immutable.
 *
 * @param nowTicks when the answer is written, for its {@code updated}
 */
public record AtomFormat(long nowTicks) implements AnswerFormat {
    static final String ENTRY_TYPE = "application/atom+xml;type=entry;charset=utf-8";
    static final String FEED_TYPE = "application/atom+xml;type=feed;charset=utf-8";
    private static final String ERROR_TYPE = "application/xml;charset=utf-8";
    private static final String TABLES = "Tables";

    @Override
    public Payload table(BaseUri base, Selection selection, String name) {
        AtomWriter xml = new AtomWriter(base, nowTicks);
        xml.beginEntry(null);
        table(xml, base, selection, name);
        xml.end();
        return new Payload(ENTRY_TYPE, xml.bytes());
    }

    @Override
    public Payload tables(BaseUri base, Selection selection, List<String> names) {
        AtomWriter xml = new AtomWriter(base, nowTicks);
        xml.beginFeed(TABLES);
        for (String name : names) {
            xml.beginEntry(null);
            table(xml, base, selection, name);
            xml.end();
        }
        xml.end();
        return new Payload(FEED_TYPE, xml.bytes());
    }

    /** A table has one property. As with entities, other selected properties are null. */
    private static void table(AtomWriter xml, BaseUri base, Selection selection, String name) {
        xml.describe(base.ofTable(name), TABLES, BaseUri.tableLink(name));
        xml.beginProperties();
        for (String selected : selection.isAll() ? List.of("TableName") : selection.names()) {
            if (selected.equals("TableName")) {
                xml.property(selected, null, name);
            } else if (!Selection.isControl(selected)) {
                xml.nothing(selected);
            }
        }
        xml.endProperties();
    }

    @Override
    public Payload entity(EntityView view, Key key, byte[] stored) {
        AtomWriter xml = new AtomWriter(view.base(), nowTicks);
        new AtomEntities(xml, view).entry(key, stored);
        return new Payload(ENTRY_TYPE, xml.bytes());
    }

    @Override
    public EntityPage entities(EntityView view) {
        return new AtomPage(new AtomWriter(view.base(), nowTicks), view);
    }

    @Override
    public Payload error(ServiceCode code, String text, String requestId, long ticks) {
        return new Payload(ERROR_TYPE, AtomWriter.error(code.wireName(), ErrorBody.message(text, requestId, ticks)));
    }
}

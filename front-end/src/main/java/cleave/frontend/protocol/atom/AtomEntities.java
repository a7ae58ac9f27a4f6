package cleave.frontend.protocol.atom;

import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.ETag;
import cleave.frontend.protocol.odata.EdmNames;
import cleave.frontend.protocol.odata.EntityView;
import cleave.frontend.protocol.odata.Keys;
import cleave.frontend.protocol.odata.Selection;
import cleave.model.Key;
import cleave.model.Ticks;
import cleave.model.entity.EdmType;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.EntityCursor;
import com.fasterxml.jackson.core.io.NumberOutput;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;

/** Writes stored entities as entries of one document. Confined to its writer. */
final class AtomEntities {
    private final AtomWriter xml;
    private final EntityView view;

    AtomEntities(AtomWriter xml, EntityView view) {
        this.xml = xml;
        this.view = view;
    }

    void entry(Key key, byte[] stored) {
        String partitionKey = key.partitionKey();
        String rowKey = key.rowKey();
        long ticks = EntityCodec.timestamp(stored);
        xml.beginEntry(ETag.format(ticks));
        xml.describe(
                view.base().ofEntity(view.table(), partitionKey, rowKey),
                view.table(),
                BaseUri.entityLink(view.table(), partitionKey, rowKey));
        xml.beginProperties();
        if (isShown(Keys.PARTITION_KEY)) {
            xml.property(Keys.PARTITION_KEY, null, partitionKey);
        }
        if (isShown(Keys.ROW_KEY)) {
            xml.property(Keys.ROW_KEY, null, rowKey);
        }
        if (isShown(Keys.TIMESTAMP)) {
            xml.property(Keys.TIMESTAMP, EdmNames.of(EdmType.DATETIME), Ticks.format(ticks));
        }
        properties(stored);
        xml.endProperties();
        xml.end();
    }

    private boolean isShown(String name) {
        return view.selection().isAll() || view.selection().names().contains(name);
    }

    /** Selected properties that the entity lacks are null. */
    private void properties(byte[] stored) {
        Set<String> written = new HashSet<>(Set.of(Keys.PARTITION_KEY, Keys.ROW_KEY, Keys.TIMESTAMP));
        EntityCursor cursor = new EntityCursor(stored);
        while (cursor.advance()) {
            String name = cursor.name();
            if (isShown(name)) {
                written.add(name);
                property(name, stored, cursor);
            }
        }
        for (String selected : view.selection().names()) {
            if (!written.contains(selected) && !Selection.isControl(selected)) {
                xml.nothing(selected);
            }
        }
    }

    private void property(String name, byte[] stored, EntityCursor at) {
        String type = at.type() == EdmType.STRING ? null : EdmNames.of(at.type());
        xml.property(name, type, text(stored, at));
    }

    private static String text(byte[] stored, EntityCursor at) {
        return switch (at.type()) {
            case STRING -> new String(stored, at.valueStart(), at.valueLength(), StandardCharsets.UTF_8);
            case BINARY -> binary(stored, at);
            case BOOLEAN -> Boolean.toString(at.booleanValue());
            case INT32 -> Integer.toString(at.intValue());
            case INT64 -> Long.toString(at.longValue());
            case DOUBLE -> real(at.doubleValue());
            case DATETIME -> Ticks.format(at.longValue());
            case GUID -> at.guidValue().toString();
        };
    }

    private static String binary(byte[] stored, EntityCursor at) {
        byte[] value = new byte[at.valueLength()];
        System.arraycopy(stored, at.valueStart(), value, 0, value.length);
        return Base64.getEncoder().encodeToString(value);
    }

    private static String real(double value) {
        if (Double.isFinite(value)) {
            return NumberOutput.toString(value, true); // Does not depend on the JDK.
        }
        return Double.isNaN(value) ? "NaN" : value > 0 ? "INF" : "-INF";
    }
}

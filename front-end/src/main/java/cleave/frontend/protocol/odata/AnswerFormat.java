package cleave.frontend.protocol.odata;

import cleave.model.Key;
import java.util.List;

/** A format in which answers about tables and entities are written. {@link cleave.model.Damaged} if stored bytes are not an entity. */
public interface AnswerFormat {
    /** One table: the response to a create or get. */
    Payload table(BaseUri base, Selection selection, String name);

    /** A page of tables. */
    Payload tables(BaseUri base, Selection selection, List<String> names);

    /** One entity: the response to a point get or insert. */
    Payload entity(EntityView view, Key key, byte[] stored);

    EntityPage entities(EntityView view);

    Payload error(ServiceCode code, String text, String requestId, long nowTicks);
}

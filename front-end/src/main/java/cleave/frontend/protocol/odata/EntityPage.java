package cleave.frontend.protocol.odata;

/** A page of entities in the format of its answer, written entity by entity. Confined to one page. */
public interface EntityPage extends PageSink {
    /** The whole body; nothing can be added afterwards. */
    Payload finish();
}

package cleave.frontend.protocol.odata;

import cleave.model.Key;

/** Receives the entities of a page. */
public interface PageSink {
    void add(Key key, byte[] stored);

    /** The bytes held so far, for pages bounded by size. */
    long size();
}

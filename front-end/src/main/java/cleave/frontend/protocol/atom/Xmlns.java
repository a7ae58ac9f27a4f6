package cleave.frontend.protocol.atom;

/** The namespaces of the documents. */
final class Xmlns {
    static final String ATOM = "http://www.w3.org/2005/Atom";
    static final String DATA = "http://schemas.microsoft.com/ado/2007/08/dataservices";
    static final String METADATA = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata";
    /** The scheme of categories, which name the type of an entry. */
    static final String SCHEME = "http://schemas.microsoft.com/ado/2007/08/dataservices/scheme";

    private Xmlns() {}
}

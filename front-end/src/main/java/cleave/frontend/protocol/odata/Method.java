package cleave.frontend.protocol.odata;

/** The method of a request. */
public enum Method {
    GET,
    HEAD,
    POST,
    PUT,
    /** PATCH, MERGE and their tunnelled forms. */
    MERGE,
    DELETE,
    OPTIONS
}

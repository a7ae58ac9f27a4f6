package cleave.frontend.protocol.odata;

/** What a request does to its resource. */
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

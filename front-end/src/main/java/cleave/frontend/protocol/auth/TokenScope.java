package cleave.frontend.protocol.auth;

/** Which bearer tokens an account takes, of those that a trusted issuer made for this service. */
enum TokenScope {
    /** Those that name the account. */
    OWN,
    /** All of them, whatever account they are for. */
    ANY,
    NONE
}

package cleave.frontend.protocol.auth;

/** Which bearer tokens an account accepts, of those that a trusted issuer issued for this service. */
enum TokenScope {
    /** Tokens that name the account. */
    OWN,
    /** All of them, also those for other accounts. */
    ANY,
    NONE
}

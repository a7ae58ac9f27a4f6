/**
 * The runtime library of all roles: event loops ({@code loop}), gRPC ({@code rpc}), TLS ({@code tls}), settings ({@code settings})
 * and private files ({@code files}). It knows no role and no message; the language that the roles speak is in {@code cleave.wire} and
 * {@code cleave.model}.
 */
package cleave.runtime;

/**
 * The Table protocol as values: addresses, query strings, filters, JSON bodies, ETags, tokens, error codes. Bytes and strings
 * in, values or a {@link cleave.frontend.protocol.odata.ServiceError} out; no sockets, threads or clocks. The HTTP half, {@code auth},
 * {@code batch} and {@code policy} stand on it; it stands on {@code cleave.model} alone.
 */
@NullMarked
package cleave.frontend.protocol.odata;

import org.jspecify.annotations.NullMarked;

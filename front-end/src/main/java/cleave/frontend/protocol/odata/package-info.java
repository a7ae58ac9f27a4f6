/**
 * The Table protocol as values: addresses, query strings, methods, filters, JSON bodies, ETags, continuation tokens, error codes. Bytes and
 * strings in, values or a {@link cleave.frontend.protocol.odata.ServiceError} out; no sockets, threads or clocks. Depends on
 * {@code cleave.model} alone.
 */
@NullMarked
package cleave.frontend.protocol.odata;

import org.jspecify.annotations.NullMarked;

/**
 * The XML documents of the service: service properties with CORS rules, stored access policies, statistics. Pure: bytes in, values or a
 * {@link cleave.frontend.protocol.odata.ServiceError} out, and back. Depends on {@code odata} and {@code cleave.model}.
 */
@NullMarked
package cleave.frontend.protocol.service;

import org.jspecify.annotations.NullMarked;

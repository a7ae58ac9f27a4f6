/**
 * The documents of the service and of tables' access policies, in XML, and what they say: service properties, rules for other
 * origins, stored access policies, statistics. Pure: bytes in, values or a {@link cleave.frontend.protocol.odata.ServiceError} out, and
 * back. Stands on {@code odata} and {@code cleave.model}.
 */
@NullMarked
package cleave.frontend.protocol.service;

import org.jspecify.annotations.NullMarked;

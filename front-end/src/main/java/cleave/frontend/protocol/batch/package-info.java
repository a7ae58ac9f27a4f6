/**
 * Entity group transactions on the wire: parses the multipart body of {@code $batch} and writes its response. Pure; depends on {@code odata},
 * and not on routing or HTTP.
 */
@NullMarked
package cleave.frontend.protocol.batch;

import org.jspecify.annotations.NullMarked;

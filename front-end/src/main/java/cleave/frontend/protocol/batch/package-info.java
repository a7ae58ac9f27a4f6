/**
 * Entity group transactions on the wire: the multipart body of {@code $batch} taken apart and its answer put together. Pure;
 * knows the protocol of {@code odata}, nothing of routing or HTTP.
 */
@NullMarked
package cleave.frontend.protocol.batch;

import org.jspecify.annotations.NullMarked;

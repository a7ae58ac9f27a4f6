/** The masters over gRPC, for what {@code loop} wants of them. */
@NullMarked
package cleave.frontend.rpc;

import org.jspecify.annotations.NullMarked;

/**
 * Three processes that carry the bytes of a request as far as a cluster does and do nothing with them. A request costs there what it costs
 * in any service of this shape in Java. The echo is a single process, which verifies signatures besides: what HTTP and Shared Key cost. The package knows the wire, the runtime library and how a process hosts a role, and no role.
 */
@NullMarked
package cleave.chaos.bench.empty;

import org.jspecify.annotations.NullMarked;

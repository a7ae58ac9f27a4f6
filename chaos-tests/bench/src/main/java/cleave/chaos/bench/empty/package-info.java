/**
 * Three processes that carry the bytes of a request as far as a cluster does and do nothing with them: what a request costs there is what any
 * service of this shape costs in Java. Knows the wire, the runtime library and how a process hosts a role, and no role.
 */
@NullMarked
package cleave.chaos.bench.empty;

import org.jspecify.annotations.NullMarked;

/**
 * Endpoints compared by the same load in one run: other implementations, one process, a cluster, and the empty chain, whose processes pass
 * on as many bytes and do nothing.
 */
@NullMarked
package cleave.chaos.bench;

import org.jspecify.annotations.NullMarked;

/**
 * All roles as separate processes on this machine, for trying a cluster and its failures. A folder records what was started, so that later
 * commands find it again.
 */
@NullMarked
package cleave.deploy.cluster;

import org.jspecify.annotations.NullMarked;

/**
 * All roles as separate processes on this machine, for trying a cluster and its failures: what was started is remembered in a
 * folder, by which later commands find it again.
 */
@NullMarked
package cleave.deploy.cluster;

import org.jspecify.annotations.NullMarked;

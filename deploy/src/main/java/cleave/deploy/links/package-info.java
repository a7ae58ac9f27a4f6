/**
 * Links between the processes of a local cluster that can be cut. A process that was started to be played with makes its connections to the others through
 * links of its own; any other process knows nothing of this.
 */
@NullMarked
package cleave.deploy.links;

import org.jspecify.annotations.NullMarked;

/** How a deployment is reached: an account at its endpoint, and what the folder of one on this machine tells other commands. */
@NullMarked
package cleave.deploy.access;

import org.jspecify.annotations.NullMarked;

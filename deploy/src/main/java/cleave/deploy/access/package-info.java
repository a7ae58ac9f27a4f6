/**
 * The ways to reach a deployment: an account at its endpoint, and the folder of a deployment on this machine, which holds its addresses.
 */
@NullMarked
package cleave.deploy.access;

import org.jspecify.annotations.NullMarked;

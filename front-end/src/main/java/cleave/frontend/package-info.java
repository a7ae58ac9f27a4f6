/**
 * The front end: serves the Table protocol over HTTP and routes requests to the ranges of the cluster. It keeps no state that a restart
 * would lose, so any number of front ends can run.
 */
@NullMarked
package cleave.frontend;

import org.jspecify.annotations.NullMarked;

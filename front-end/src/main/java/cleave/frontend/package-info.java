/**
 * The front end: the Table protocol over HTTP, before the ranges of the cluster. It keeps nothing that a restart would lose, so
 * there may be any number of them.
 */
@NullMarked
package cleave.frontend;

import org.jspecify.annotations.NullMarked;

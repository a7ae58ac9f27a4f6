/**
 * The values of a partition server: the records of a commit log and their encoding, positions in logs, the ownership of
 * a range. Pure; {@code policy} decides on these values.
 */
@NullMarked
package cleave.server.state;

import org.jspecify.annotations.NullMarked;

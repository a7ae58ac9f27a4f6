/**
 * The values a partition server works with: what a commit log's records hold and how they lie in the file, positions in logs,
 * who owns what, how files are named. Pure; neighbours are {@code policy}, which judges with these values, and {@code loop}.
 */
@NullMarked
package cleave.server.state;

import org.jspecify.annotations.NullMarked;

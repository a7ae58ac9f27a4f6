/** The partition server: serves ranges, each with a commit log in the DFS and a local store. Wiring only. */
@NullMarked
package cleave.server;

import org.jspecify.annotations.NullMarked;

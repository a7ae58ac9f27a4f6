/** The language of a client and a node: calls, answers, and the names of files as messages. Both cores know it. */
@NullMarked
package cleave.dfs.link;

import org.jspecify.annotations.NullMarked;

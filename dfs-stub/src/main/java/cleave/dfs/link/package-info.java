/** What a client and a node say to each other: calls, answers, and the names of files as messages. Both cores know it. */
@NullMarked
package cleave.dfs.link;

import org.jspecify.annotations.NullMarked;

/** A DFS without disk or network, for the tests of those who use one and for the simulator. It passes the contract suite. */
@NullMarked
package cleave.dfs.memory;

import org.jspecify.annotations.NullMarked;

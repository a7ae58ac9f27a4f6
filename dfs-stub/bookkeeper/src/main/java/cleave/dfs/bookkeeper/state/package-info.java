/** Decisions and forms, as pure functions of values: no ZooKeeper, no bookie, no clock. */
@NullMarked
package cleave.dfs.bookkeeper.state;

import org.jspecify.annotations.NullMarked;

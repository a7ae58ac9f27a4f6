/**
 * What a node keeps on its disk, and the shell around its core: files of the journal and of extents, recovery, and the threads that
 * do the disk work. {@link cleave.dfs.store.Disk} stands between all of it and the machine, so that tests and the simulator can
 * use one that forgets.
 */
@NullMarked
package cleave.dfs.store;

import org.jspecify.annotations.NullMarked;

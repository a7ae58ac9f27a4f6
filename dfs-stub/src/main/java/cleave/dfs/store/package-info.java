/**
 * The node's files on its disk, and the shell around its core: files of the journal and of extents, recovery, and the
 * threads that do the disk work. {@link cleave.dfs.store.Disk} separates it from the machine, so that tests and the
 * simulator can use a disk that loses unsynced bytes.
 */
@NullMarked
package cleave.dfs.store;

import org.jspecify.annotations.NullMarked;

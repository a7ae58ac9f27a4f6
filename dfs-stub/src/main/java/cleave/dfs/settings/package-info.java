/** The configuration of a dfs-stub process. */
@NullMarked
package cleave.dfs.settings;

import org.jspecify.annotations.NullMarked;

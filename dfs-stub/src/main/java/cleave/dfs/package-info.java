/**
 * The layer that keeps the data: append-only files with one writer, ended forever by {@code seal}. The contract
 * ({@link cleave.dfs.Dfs}) is small on purpose: it is what any distributed file system with a fence can give.
 */
@NullMarked
package cleave.dfs;

import org.jspecify.annotations.NullMarked;

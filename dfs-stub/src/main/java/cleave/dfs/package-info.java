/**
 * The layer that keeps the data: append-only files with one writer, ended forever by {@code seal}. The contract ({@link
 * cleave.dfs.Dfs}) is small on purpose, so that any distributed file system with a fence can implement it.
 */
@NullMarked
package cleave.dfs;

import org.jspecify.annotations.NullMarked;

/**
 * The board: watches a cluster, remembers what it saw, and shows it on a page; or shows a recording. This package joins the parts; {@code
 * cleave.deploy.board} gives them a cluster.
 */
@NullMarked
package cleave.board;

import org.jspecify.annotations.NullMarked;

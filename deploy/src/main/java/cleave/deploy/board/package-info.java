/** {@code cleave board}: gives the board of {@code cleave.board} a cluster, by the masters and by the metrics of its processes. */
@NullMarked
package cleave.deploy.board;

import org.jspecify.annotations.NullMarked;

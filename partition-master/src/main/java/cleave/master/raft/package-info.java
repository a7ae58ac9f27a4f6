/**
 * The masters' replicated log, by Apache Ratis: applies commands to the pure state machine of {@code
 * cleave.master.state}, keeps snapshots and answers proposals. No other package knows Ratis.
 */
@NullMarked
package cleave.master.raft;

import org.jspecify.annotations.NullMarked;

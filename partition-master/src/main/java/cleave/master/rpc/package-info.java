/**
 * What masters serve over gRPC, and how they call partition servers. Translates and delegates; no decisions. The map stream is
 * served by every master from the state it has applied; all else by the leader.
 */
@NullMarked
package cleave.master.rpc;

import org.jspecify.annotations.NullMarked;

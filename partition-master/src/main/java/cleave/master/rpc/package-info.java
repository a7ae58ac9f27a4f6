/**
 * The gRPC services of masters, and their calls to partition servers and to each other. Translates and delegates; no
 * decisions. Every master serves the map stream, from the state that it has applied; the leader serves the rest.
 */
@NullMarked
package cleave.master.rpc;

import org.jspecify.annotations.NullMarked;

/**
 * A deterministic simulator of whole clusters: the production cores and gRPC services of masters, partition servers and
 * front ends, with clients, run in one thread on a virtual clock from one seed. It replaces the network, Ratis, RocksDB
 * and the DFS by versions that fail in every way their contracts permit. It contains no second implementation of any
 * rule. This package runs whole seeds and stories; those below it know no more than they need.
 *
 * <p>One thread, the caller's, runs a whole simulation. Objects here and below belong to one simulation and its thread, except
 * those that are immutable.
 */
@NullMarked
package cleave.chaos.sim;

import org.jspecify.annotations.NullMarked;

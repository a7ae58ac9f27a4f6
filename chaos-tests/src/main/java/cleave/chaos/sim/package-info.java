/**
 * A deterministic simulator of whole clusters: masters, partition servers, front ends and clients, made of the production cores and
 * their gRPC services, in one thread, on a virtual clock, from one seed. In place of the network, Ratis, RocksDB and the DFS it has
 * its own, which fail in every way that their contracts permit. It contains no second implementation of any rule.
 */
@NullMarked
package cleave.chaos.sim;

import org.jspecify.annotations.NullMarked;

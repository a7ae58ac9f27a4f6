/**
 * The values that all roles share: keys and ranges, the partition map and its rows, incarnations, the cluster's identity and feature level,
 * limits. {@code entity} has entities, their codec and filters; {@code manifest} the description from which a range can be opened;
 * {@code table} the registry of tables. Immutable; no threads, clocks or sockets. They depend only on the generated messages
 * ({@code cleave.wire}) and on libraries of values (protobuf, pcollections, Guava's UTF-8 check).
 */
@NullMarked
package cleave.model;

import org.jspecify.annotations.NullMarked;

/**
 * The values that all roles share: keys and ranges, the partition map, entities and their codec, filters, manifests.
 * Plain immutable Java; no threads, clocks, sockets. Everything else in Cleave may depend on it; it depends on nothing but
 * the generated messages ({@code cleave.wire}) and on value libraries (protobuf, pcollections, Guava's UTF-8 check).
 */
@NullMarked
package cleave.model;

import org.jspecify.annotations.NullMarked;

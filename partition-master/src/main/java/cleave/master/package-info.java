/**
 * The partition master: keeps the partition map, lets servers in, declares the silent ones dead, has their ranges taken over,
 * gives out table ids, drives Delete Table, and streams the map. 1, 3 or 5 peers, of which one leads.
 */
@NullMarked
package cleave.master;

import org.jspecify.annotations.NullMarked;

/** The golden exchanges of the protocol over sockets, against real servers. */
@NullMarked
package cleave.chaos.conformance.golden;

import org.jspecify.annotations.NullMarked;

/** Golden exchanges: what the protocol demands, sent over sockets and compared, byte for byte, with what the real server answers. */
@NullMarked
package cleave.chaos.conformance.golden;

import org.jspecify.annotations.NullMarked;

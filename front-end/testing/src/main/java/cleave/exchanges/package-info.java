/**
 * The golden exchanges of the protocol: how their files are read, how their requests are signed, and how the answers are compared,
 * byte for byte. Shares no code with the server.
 */
@NullMarked
package cleave.exchanges;

import org.jspecify.annotations.NullMarked;

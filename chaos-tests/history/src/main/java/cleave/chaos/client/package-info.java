/**
 * A Table service client that hides nothing: plain sockets, one request one answer, no retries, no repairs. The SDKs show what
 * users see; this shows what was on the wire.
 */
@NullMarked
package cleave.chaos.client;

import org.jspecify.annotations.NullMarked;

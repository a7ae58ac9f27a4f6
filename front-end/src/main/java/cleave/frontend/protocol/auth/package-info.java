/**
 * Who asks, and what they may do: accounts and their keys, Shared Key, shared access signatures, tokens, and what each credential gives
 * leave for. Pure: the time is handed in.
 */
@NullMarked
package cleave.frontend.protocol.auth;

import org.jspecify.annotations.NullMarked;

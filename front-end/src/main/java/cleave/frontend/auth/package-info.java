/**
 * Who may ask: the accounts and their keys, and the signatures of Shared Key and Shared Key Lite. Pure: the time is handed in.
 */
@NullMarked
package cleave.frontend.auth;

import org.jspecify.annotations.NullMarked;

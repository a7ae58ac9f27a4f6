/**
 * What each operation of the protocol does: reads the body, has {@code routing} do the work, and puts the answer together. Also the CORS
 * rules and the other service properties of accounts.
 */
@NullMarked
package cleave.frontend.handlers;

import org.jspecify.annotations.NullMarked;

/** The kept bytes of every version of every stored format: bytes that were once written are read forever. */
@NullMarked
package cleave.formats;

import org.jspecify.annotations.NullMarked;

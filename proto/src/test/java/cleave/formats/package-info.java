/** The kept bytes of every version of every stored format: what was once written is read for ever. */
@NullMarked
package cleave.formats;

import org.jspecify.annotations.NullMarked;

/** The kept bytes of every version of every stored format: what was once written is read forever. */
@NullMarked
package cleave.formats;

import org.jspecify.annotations.NullMarked;

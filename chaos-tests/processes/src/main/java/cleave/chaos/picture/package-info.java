/** Charts as SVGs that need nothing but themselves. */
@NullMarked
package cleave.chaos.picture;

import org.jspecify.annotations.NullMarked;

/** Drawing SVGs that need nothing but themselves: what the charts of labs and the pictures of trials and drills have in common. */
@NullMarked
package cleave.chaos.picture;

import org.jspecify.annotations.NullMarked;

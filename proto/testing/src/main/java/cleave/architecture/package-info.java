/** Rules about the whole tree that the LayeringTest of each module applies to its own packages. */
@NullMarked
package cleave.architecture;

import org.jspecify.annotations.NullMarked;

/** Files and folders that only their owner can access, and that one process uses at a time. */
@NullMarked
package cleave.runtime.files;

import org.jspecify.annotations.NullMarked;

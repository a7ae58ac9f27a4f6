/** Files and folders that only their owner can access. */
@NullMarked
package cleave.runtime.files;

import org.jspecify.annotations.NullMarked;

/** Folders and files of the roles, such that only their owner can look into them. */
@NullMarked
package cleave.runtime.files;

import org.jspecify.annotations.NullMarked;

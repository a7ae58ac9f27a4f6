/** Tables: their entries in the registry, with the stored access policies. */
@NullMarked
package cleave.model.table;

import org.jspecify.annotations.NullMarked;

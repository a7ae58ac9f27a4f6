/** Tables: their entries in the registry, and the stored access policies in these. */
@NullMarked
package cleave.model.table;

import org.jspecify.annotations.NullMarked;

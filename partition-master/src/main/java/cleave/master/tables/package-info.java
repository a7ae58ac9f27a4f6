/**
 * Delete Table: drives each pending drop of the replicated state through the ranges of the table until it is complete.
 */
@NullMarked
package cleave.master.tables;

import org.jspecify.annotations.NullMarked;

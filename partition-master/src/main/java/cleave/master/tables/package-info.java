/**
 * Delete Table: carries each pending drop of the replicated state through the ranges of the table until it is done. And the tables of listed ranges, by name.
 */
@NullMarked
package cleave.master.tables;

import org.jspecify.annotations.NullMarked;

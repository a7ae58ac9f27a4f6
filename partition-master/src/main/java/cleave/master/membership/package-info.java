/**
 * Who the masters of a cluster are: founding, joining and leaving it, changes of the group by operators, and the feature level that
 * all members support.
 */
@NullMarked
package cleave.master.membership;

import org.jspecify.annotations.NullMarked;

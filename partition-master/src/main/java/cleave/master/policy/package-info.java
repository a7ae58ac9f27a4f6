/**
 * The leader's decisions, one criterion per class: which servers are dead, which server takes over a range, how ranges
 * are split, merged and moved. Pure: each call is given the time and its input.
 */
@NullMarked
package cleave.master.policy;

import org.jspecify.annotations.NullMarked;

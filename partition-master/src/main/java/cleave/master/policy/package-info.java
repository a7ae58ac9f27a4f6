/**
 * The judgements of the leader, one criterion a class: who is dead, who takes over, where the parts of a split go. Pure: each
 * call is given the time and what it judges.
 */
@NullMarked
package cleave.master.policy;

import org.jspecify.annotations.NullMarked;

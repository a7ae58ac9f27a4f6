/**
 * Pure judgements of a partition server: whether a write is executed and what results, what a scan returns, when a checkpoint is
 * due, how hot a range is. They see values and views only; {@code loop} gives these and acts on the answers.
 */
@NullMarked
package cleave.server.policy;

import org.jspecify.annotations.NullMarked;

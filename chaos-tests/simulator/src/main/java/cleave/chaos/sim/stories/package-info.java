/** The stage on which scenarios are played, and the words of their scripts. Knows everything but whole seeds. */
@NullMarked
package cleave.chaos.sim.stories;

import org.jspecify.annotations.NullMarked;

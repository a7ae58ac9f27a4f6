/** The labs, run in their smallest form, and what is around them. */
@NullMarked
package cleave.chaos.lab;

import org.jspecify.annotations.NullMarked;

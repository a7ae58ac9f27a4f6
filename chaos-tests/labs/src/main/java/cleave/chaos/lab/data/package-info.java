/** The data of the labs, as code: the same seed gives the same entities on every machine. */
@NullMarked
package cleave.chaos.lab.data;

import org.jspecify.annotations.NullMarked;

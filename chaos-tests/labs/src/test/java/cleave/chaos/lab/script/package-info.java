/** Tests of scripts. */
@NullMarked
package cleave.chaos.lab.script;

import org.jspecify.annotations.NullMarked;

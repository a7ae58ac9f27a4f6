/** The language of labs, which docs/labs/writing-a-lab.md describes: read, evaluated and played. It knows a lab's run and client alone. */
@NullMarked
package cleave.chaos.lab.script;

import org.jspecify.annotations.NullMarked;

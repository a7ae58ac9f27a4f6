/** The output of commands for people and for programs: tables, progress, JSON; and waits for a condition. */
@NullMarked
package cleave.deploy.terminal;

import org.jspecify.annotations.NullMarked;

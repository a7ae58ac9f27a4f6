/** The settings of a master, read once at its start. */
@NullMarked
package cleave.master.settings;

import org.jspecify.annotations.NullMarked;

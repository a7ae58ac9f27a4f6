/** The settings of a partition server as checked values. */
@NullMarked
package cleave.server.settings;

import org.jspecify.annotations.NullMarked;

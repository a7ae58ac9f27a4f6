/** What a partition server can be told by its operator: settings as checked values. */
@NullMarked
package cleave.server.settings;

import org.jspecify.annotations.NullMarked;

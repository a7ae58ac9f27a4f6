/** The front end's configuration: read once, checked before anything starts. */
@NullMarked
package cleave.frontend.settings;

import org.jspecify.annotations.NullMarked;

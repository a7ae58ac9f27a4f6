/** Configuration of every role: properties from a file and from {@code --set}, validated before anything starts. */
@NullMarked
package cleave.runtime.settings;

import org.jspecify.annotations.NullMarked;

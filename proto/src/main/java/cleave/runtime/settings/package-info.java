/** How every role reads its configuration: properties from a file and from {@code --set}, checked before anything starts. */
@NullMarked
package cleave.runtime.settings;

import org.jspecify.annotations.NullMarked;

/** What authorization stands on and changes while the front end runs: files and documents that are read again. */
@NullMarked
package cleave.frontend.refresh;

import org.jspecify.annotations.NullMarked;

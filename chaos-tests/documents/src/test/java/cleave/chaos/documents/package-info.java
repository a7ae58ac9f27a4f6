/** The documents against the code that they describe. */
@NullMarked
package cleave.chaos.documents;

import org.jspecify.annotations.NullMarked;

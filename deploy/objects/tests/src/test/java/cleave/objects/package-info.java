@NullMarked
package cleave.objects;

import org.jspecify.annotations.NullMarked;

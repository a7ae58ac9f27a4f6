/**
 * What a request amounts to: the method that a tunnelled one stands for, and the keys that a query must examine. Pure
 * functions over the values of {@code odata}.
 */
@NullMarked
package cleave.frontend.policy;

import org.jspecify.annotations.NullMarked;

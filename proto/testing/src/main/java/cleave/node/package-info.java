/** Suites in JavaScript, which tests run on this machine's Node. */
@NullMarked
package cleave.node;

import org.jspecify.annotations.NullMarked;

/**
 * What the leader decided and saw, with reasons and figures, as operators read it ({@code cleave admin events}).
 */
@NullMarked
package cleave.master.events;

import org.jspecify.annotations.NullMarked;

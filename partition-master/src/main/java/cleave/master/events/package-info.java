/**
 * The leader's decisions and observations, with reasons and figures, as operators read them ({@code cleave admin events}).
 */
@NullMarked
package cleave.master.events;

import org.jspecify.annotations.NullMarked;

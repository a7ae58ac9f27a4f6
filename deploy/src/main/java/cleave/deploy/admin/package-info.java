/** What operators ask of the masters: the ranges, the servers, the leader, and a split before it is needed. */
@NullMarked
package cleave.deploy.admin;

import org.jspecify.annotations.NullMarked;

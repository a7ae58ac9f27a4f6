/**
 * What people do to a cluster from the board's page: end its processes and start them again, and put load on it, by clients that check every
 * answer.
 */
@NullMarked
package cleave.deploy.play;

import org.jspecify.annotations.NullMarked;

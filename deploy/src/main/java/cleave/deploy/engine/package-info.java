/**
 * ZooKeeper, bookies and autorecovery as processes of their own, with Cleave's admin port: {@code cleave engine}. Knows their programs
 * by name alone, so that nothing here is compiled with them.
 */
@NullMarked
package cleave.deploy.engine;

import org.jspecify.annotations.NullMarked;

/**
 * ZooKeeper, bookies and autorecovery as separate processes with Cleave's admin port: {@code cleave engine}. It knows their programs by
 * name alone, so that nothing here is compiled with them.
 */
@NullMarked
package cleave.deploy.engine;

import org.jspecify.annotations.NullMarked;

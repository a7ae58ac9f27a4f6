/** Stores on RocksDB, and the threads that scan them. Adapters: they implement interfaces of {@code outside}. */
@NullMarked
package cleave.server.store;

import org.jspecify.annotations.NullMarked;

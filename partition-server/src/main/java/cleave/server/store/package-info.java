/** Stores on RocksDB, and the threads that walk over them. Adapters: they implement what {@code loop} declares. */
@NullMarked
package cleave.server.store;

import org.jspecify.annotations.NullMarked;

/**
 * Where backups lie: in a folder, or under a prefix in an object store. The clients of object stores are in a module of their own, for their
 * libraries' sake, and found by {@link java.util.ServiceLoader}. It knows nothing of what a backup is.
 */
@NullMarked
package cleave.deploy.backup.place;

import org.jspecify.annotations.NullMarked;

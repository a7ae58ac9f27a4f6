/**
 * Backup and restore of a whole cluster, copies of a stopped cluster's files to another DFS, and export and import of one table over the
 * Table protocol. Backup and restore read and write the DFS as an admin and get the map from the masters; they need no servers. Its
 * neighbours are the DFS client, and the admin client of {@code cleave.deploy.admin}.
 */
@NullMarked
package cleave.deploy.backup;

import org.jspecify.annotations.NullMarked;

/**
 * Backup and restore of a whole cluster, which read and write the DFS as an admin and get the map from the masters,
 * without servers; copying a stopped cluster's files to another DFS; export and import of one table over the Table
 * protocol. Its neighbours are the DFS client, and the admin client of {@code cleave.deploy.admin}.
 */
@NullMarked
package cleave.deploy.backup;

import org.jspecify.annotations.NullMarked;

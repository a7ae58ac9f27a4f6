/**
 * Backup and restore of a whole cluster: reads and writes the DFS as an admin, and asks masters for the map; knows no server. A
 * stopped cluster's files copied to another DFS. Export and import of one table, over the Table protocol. Its neighbours are the DFS client, and the admin client of {@code cleave.deploy.admin}.
 */
@NullMarked
package cleave.deploy.backup;

import org.jspecify.annotations.NullMarked;

/** All roles in one process, over calls inside the process and a DFS in a folder: for trying, for tests, and for small data. */
@NullMarked
package cleave.deploy.standalone;

import org.jspecify.annotations.NullMarked;

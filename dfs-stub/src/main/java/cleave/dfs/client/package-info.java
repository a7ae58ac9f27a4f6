/**
 * The core of the client, {@link cleave.dfs.client.StreamClient}: writers, the seal, readers. It reaches its node through
 * {@link cleave.dfs.link.NodeLink}, in this process or elsewhere, and knows nothing else of it.
 */
@NullMarked
package cleave.dfs.client;

import org.jspecify.annotations.NullMarked;

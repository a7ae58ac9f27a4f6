package cleave.dfs;

import cleave.model.Damaged;
import cleave.model.DfsIdentity;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The file of a DFS that says which DFS it is. Stateless.
 *
 * <p>Unlike the identity of its cluster it is never copied to another DFS: that has an identity of its own, which names the origin of its
 * files.
 */
public final class DfsIdentityFile {
    /** All its files; none of them belongs in another DFS. */
    public static final String FOLDER = "dfs/";

    private static final WriteOnce IDENTITY =
            new WriteOnce(FOLDER + "identity-", text -> DfsIdentity.ofLine(text) != null);

    private DfsIdentityFile() {}

    /** The identity of this DFS; empty if it has none. */
    public static CompletableFuture<Optional<DfsIdentity>> read(Dfs dfs) {
        return IDENTITY.read(dfs).thenApply(line -> line.map(DfsIdentityFile::identity));
    }

    /** The identity of this DFS, which gets one if it has none, as soon as there is space for it. May be repeated. */
    public static CompletableFuture<DfsIdentity> readOrMake(Dfs dfs, Supplier<String> ids) {
        return read(dfs)
                .thenCompose(identity -> identity.isPresent()
                        ? CompletableFuture.completedFuture(identity.get())
                        : make(dfs, DfsIdentity.of(ids.get())));
    }

    /** Makes this the identity of the DFS, unless it has one; answers the one that it has then. May be repeated. */
    public static CompletableFuture<DfsIdentity> make(Dfs dfs, DfsIdentity identity) {
        return IDENTITY.write(dfs, identity.line()).thenApply(DfsIdentityFile::identity);
    }

    private static DfsIdentity identity(String line) {
        DfsIdentity identity = DfsIdentity.ofLine(line);
        if (identity == null) {
            throw new Damaged("this is not the identity of a DFS: " + line);
        }
        return identity;
    }
}

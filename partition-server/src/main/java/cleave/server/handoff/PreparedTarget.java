package cleave.server.handoff;

import cleave.dfs.DfsFile.Purpose;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.server.opening.Opening;
import cleave.server.opening.Preparation;
import cleave.server.opening.ReplayTurns;
import cleave.server.range.Opened;
import cleave.server.range.Range;
import cleave.wire.SealedLog;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A range that is being prepared here while its sources are served, perhaps elsewhere: the procedure of {@link
 * Preparation} in cooperation with the sources. Public methods are thread-safe; everything else is confined to the
 * range's loop.
 *
 * <p>Invariant I2: its sources' logs are sealed here only when the row that names its manifest is committed, and it is
 * not served before. A planned handoff that fails leaves its sources untouched.
 */
final class PreparedTarget {
    private final Range.Outside outside;
    private final Preparation preparation;
    private final CompletableFuture<String> prepared = new CompletableFuture<>();
    private final CompletableFuture<Opened> finished = new CompletableFuture<>();
    private boolean finishing;

    /** Its turn comes at once: the sources' logs are sealed in the switch, and there is little left of them. */
    PreparedTarget(Range.Outside outside, KeyRange interval, List<Row> sources) {
        this.outside = outside;
        this.preparation = new Preparation(outside, interval, sources, new ReplayTurns(outside.loop()), 0);
    }

    Range.Outside outside() {
        return outside;
    }

    /** Completes with the path of its manifest when it follows the sources closely. */
    CompletableFuture<String> prepare() {
        outside.loop()
                .submit(() -> then(preparation.read(), nothing -> {
                    CompletableFuture<String> opening = preparation.open(Purpose.ESSENTIAL);
                    then(opening, manifest -> then(preparation.follow(), near -> prepared.complete(manifest)));
                }));
        return prepared;
    }

    /**
     * Replays the sources' logs to their ends. Only when prepared, with the committed row.
     *
     * @param sealed logs that are known to be sealed; all others are sealed first
     */
    CompletableFuture<Opened> finish(Row row, List<SealedLog> sealed) {
        outside.loop().submit(() -> {
            if (!finishing) {
                finishing = true;
                then(preparation.seal(sealed), nothing -> finished.complete(preparation.opened(row)));
            }
        });
        return finished;
    }

    /** Gives up, unless it is finished; {@code wipes} the created files if no row can ever name them. */
    void forget(String why, boolean wipes) {
        outside.loop().submit(() -> end(new Opening.Failed(why), wipes));
    }

    private <T> void then(CompletableFuture<T> step, Consumer<T> next) {
        outside.loop().whenDone(step, (result, failure) -> {
            if (finished.isDone()) {
                return;
            }
            if (failure != null) {
                end(failure, !prepared.isDone());
            } else {
                next.accept(result);
            }
        });
    }

    private void end(Throwable why, boolean wipes) {
        outside.loop().assertInside();
        prepared.completeExceptionally(why);
        if (finished.completeExceptionally(why)) {
            preparation.end(why, wipes);
        }
    }
}

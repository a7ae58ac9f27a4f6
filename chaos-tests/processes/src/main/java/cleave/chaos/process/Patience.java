package cleave.chaos.process;

import cleave.deploy.terminal.Wait;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/** Waits for what must become true, and never longer than it was told to. Immutable. */
public record Patience(Duration limit) {
    private static final Duration PAUSE = Duration.ofMillis(20);

    public static Patience ofSeconds(long seconds) {
        return new Patience(Duration.ofSeconds(seconds));
    }

    /** Asks again and again; an exception counts as not yet. */
    public void until(String what, Callable<Boolean> condition) {
        AtomicReference<String> last = new AtomicReference<>("");
        boolean isSo = Wait.until(
                () -> {
                    try {
                        last.set("it is not so");
                        return condition.call();
                    } catch (Exception notYet) {
                        last.set(notYet.toString());
                        return false;
                    }
                },
                limit,
                PAUSE);
        if (!isSo) {
            throw new IllegalStateException("waited " + limit.toSeconds() + " s until " + what + ": " + last);
        }
    }
}

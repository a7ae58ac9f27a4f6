package cleave.server;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes the one answer to a request. Confined to the test's thread. */
final class Answer<T> implements Consumer<T> {
    private @Nullable T given;
    private Consumer<T> then = answer -> {};

    @Override
    public void accept(T answer) {
        if (given != null) {
            throw new AssertionError("answered twice: " + given + ", then " + answer);
        }
        given = answer;
        then.accept(answer);
    }

    /** Runs with the answer, at once if it was given. */
    void then(Consumer<T> action) {
        then = action;
        if (given != null) {
            action.accept(given);
        }
    }

    boolean isGiven() {
        return given != null;
    }

    T get() {
        if (given == null) {
            throw new AssertionError("not answered");
        }
        return given;
    }
}

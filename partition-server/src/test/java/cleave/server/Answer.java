package cleave.server;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes the one answer to a request. Confined to the test's thread. */
final class Answer<T> implements Consumer<T> {
    private @Nullable T given;

    @Override
    public void accept(T answer) {
        if (given != null) {
            throw new AssertionError("answered twice: " + given + ", then " + answer);
        }
        given = answer;
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

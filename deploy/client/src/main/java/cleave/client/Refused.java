package cleave.client;

import java.io.IOException;

/** A request had another answer than it should have. */
public final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    private final transient Answer answer;

    /** @param what the request, such as {@code reading table cities} */
    public Refused(String what, Answer answer) {
        super(what + " was answered " + answer.problem());
        this.answer = answer;
    }

    public Answer answer() {
        return answer;
    }
}

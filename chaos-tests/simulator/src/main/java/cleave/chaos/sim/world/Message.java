package cleave.chaos.sim.world;

/**
 * A message in transit: a request or an answer between two nodes, a call of the DFS or its answer, or a command on its
 * way into the masters' log. Immutable.
 *
 * @param what the method, call or command
 * @param about a path, an outcome, or nothing
 */
public record Message(Kind kind, String from, String to, String what, String about) {
    enum Kind {
        REQUEST,
        ANSWER
    }

    public static Message request(String from, String to, String what, String about) {
        return new Message(Kind.REQUEST, from, to, what, about);
    }

    public static Message answer(String from, String to, String what, String about) {
        return new Message(Kind.ANSWER, from, to, what, about);
    }

    public boolean isAnswer() {
        return kind == Kind.ANSWER;
    }

    @Override
    public String toString() {
        return (isAnswer() ? "the answer to " : "") + what + " " + from + " -> " + to + (about.isEmpty() ? "" : " ")
                + about;
    }
}

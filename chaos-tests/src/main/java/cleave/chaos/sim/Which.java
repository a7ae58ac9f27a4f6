package cleave.chaos.sim;

import java.util.function.Predicate;

/** Which messages a script means: of a name, and perhaps of a sender, a receiver, about something. Immutable. */
record Which(String text, Predicate<Message> test) {
    /** A call from node to node, a call of the DFS, or a command on its way into the masters' log. */
    static Which request(String what) {
        return new Which(what, message -> !message.isAnswer() && message.what().equals(what));
    }

    static Which answer(String what) {
        return new Which(
                "the answer to " + what,
                message -> message.isAnswer() && message.what().equals(what));
    }

    Which from(String node) {
        return and(" from " + node, message -> message.from().equals(node));
    }

    Which to(String node) {
        return and(" to " + node, message -> message.to().equals(node));
    }

    /** Says this, as part of a path or an outcome. */
    Which about(String part) {
        return and(" about " + part, message -> message.about().contains(part));
    }

    /** Messages that a predicate picks. */
    static Which of(String text, Predicate<Message> test) {
        return new Which(text, test);
    }

    private Which and(String more, Predicate<Message> also) {
        return new Which(text + more, test.and(also));
    }

    boolean means(Message message) {
        return test.test(message);
    }

    @Override
    public String toString() {
        return text;
    }
}

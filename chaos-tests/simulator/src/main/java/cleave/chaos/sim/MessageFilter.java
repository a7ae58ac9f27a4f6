package cleave.chaos.sim;

import java.util.function.Predicate;

/** Selects messages by name and, if wanted, by sender, receiver and content. Immutable. */
record MessageFilter(String text, Predicate<Message> test) {
    /** A call from node to node, a call of the DFS, or a command on its way into the masters' log. */
    static MessageFilter request(String what) {
        return new MessageFilter(
                what, message -> !message.isAnswer() && message.what().equals(what));
    }

    static MessageFilter answer(String what) {
        return new MessageFilter(
                "the answer to " + what,
                message -> message.isAnswer() && message.what().equals(what));
    }

    MessageFilter from(String node) {
        return and(" from " + node, message -> message.from().equals(node));
    }

    MessageFilter to(String node) {
        return and(" to " + node, message -> message.to().equals(node));
    }

    /** Matches this part of a path or an outcome. */
    MessageFilter about(String part) {
        return and(" about " + part, message -> message.about().contains(part));
    }

    /** Matches messages by a predicate. */
    static MessageFilter of(String text, Predicate<Message> test) {
        return new MessageFilter(text, test);
    }

    private MessageFilter and(String more, Predicate<Message> also) {
        return new MessageFilter(text + more, test.and(also));
    }

    boolean means(Message message) {
        return test.test(message);
    }

    @Override
    public String toString() {
        return text;
    }
}

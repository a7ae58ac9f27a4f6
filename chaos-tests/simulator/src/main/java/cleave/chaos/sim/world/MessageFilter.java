package cleave.chaos.sim.world;

import java.util.function.Predicate;

/** Selects messages by name and, if wanted, by sender, receiver and content. Immutable. */
public record MessageFilter(String text, Predicate<Message> test) {
    /** A call from node to node, a call of the DFS, or a command on its way into the masters' log. */
    public static MessageFilter request(String what) {
        return new MessageFilter(
                what, message -> !message.isAnswer() && message.what().equals(what));
    }

    public static MessageFilter answer(String what) {
        return new MessageFilter(
                "the answer to " + what,
                message -> message.isAnswer() && message.what().equals(what));
    }

    public MessageFilter from(String node) {
        return and(" from " + node, message -> message.from().equals(node));
    }

    public MessageFilter to(String node) {
        return and(" to " + node, message -> message.to().equals(node));
    }

    /** Matches this part of a path or an outcome. */
    public MessageFilter about(String part) {
        return and(" about " + part, message -> message.about().contains(part));
    }

    /** Matches messages by a predicate. */
    public static MessageFilter of(String text, Predicate<Message> test) {
        return new MessageFilter(text, test);
    }

    private MessageFilter and(String more, Predicate<Message> also) {
        return new MessageFilter(text + more, test.and(also));
    }

    public boolean means(Message message) {
        return test.test(message);
    }

    @Override
    public String toString() {
        return text;
    }
}

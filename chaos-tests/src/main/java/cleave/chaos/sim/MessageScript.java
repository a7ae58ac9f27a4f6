package cleave.chaos.sim;

/**
 * Decides when the messages of a scripted simulation arrive. Without one, each arrives as soon as the network permits.
 */
interface MessageScript {
    /**
     * A message could arrive now.
     *
     * @param arrival to be run once, now or later, or never, if it is lost
     * @param copy makes the same request arrive once more, any number of times; does nothing for an answer
     */
    void carry(Message message, Runnable arrival, Runnable copy);
}

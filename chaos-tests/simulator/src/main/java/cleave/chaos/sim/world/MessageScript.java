package cleave.chaos.sim.world;

/**
 * Decides when the messages of a scripted simulation arrive. Without one, each arrives as soon as the network permits.
 */
public interface MessageScript {
    /**
     * Called when a message could arrive.
     *
     * @param arrival to be run once, now or later, or never if the message is lost
     * @param copy delivers the same request again, any number of times; does nothing for an answer
     */
    void carry(Message message, Runnable arrival, Runnable copy);
}

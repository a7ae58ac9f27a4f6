package cleave.master.core;

/** The receiving end of a server's stream. Called only inside the loop of the feed that sends. */
public interface StreamSink<T> {
    /** False while earlier messages have not left yet; the feed is told when this becomes true again. */
    boolean isReady();

    void send(T message);

    /** The stream is complete. */
    void end();

    /** Ends the stream before it is complete, because this master cannot continue it. */
    void fail(String why);
}

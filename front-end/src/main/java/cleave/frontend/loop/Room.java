package cleave.frontend.loop;

/**
 * How many bytes a loop holds for its clients: bodies of requests that came in, pages that are being put together, and answers that
 * clients have not taken. While there is too much, no request is let in, no body grows, and pages end early. Confined to its loop.
 *
 * <p>Whoever takes gives back the same, once.
 */
public final class Room {
    private final long bytesMax;
    private long taken;

    public Room(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    public boolean isFull() {
        return taken >= bytesMax;
    }

    public void take(long bytes) {
        taken += bytes;
    }

    public void give(long bytes) {
        taken -= bytes;
    }

    long taken() {
        return taken;
    }
}

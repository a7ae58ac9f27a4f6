package cleave.board.frame;

/**
 * The lines of frames that follow each other: a frame has its axis if that is not the one before, and from time to time, so that a reader
 * may begin there. Confined to its owner.
 */
public final class FrameLines {
    private static final int WHOLE_EVERY = 60;

    private long axisTold;
    private int sinceWhole;

    /** A frame as it is written and sent. Immutable, if its bytes are left alone. */
    public static final class Line {
        private final byte[] bytes;
        private final boolean hasAxis;

        Line(byte[] bytes, boolean hasAxis) {
            this.bytes = bytes;
            this.hasAxis = hasAxis;
        }

        public byte[] bytes() {
            return bytes;
        }

        /** Whether it can be read without those before it. */
        public boolean hasAxis() {
            return hasAxis;
        }
    }

    public Line next(Frame frame) {
        boolean hasAxis = !frame.isStale() && (frame.axis().id() != axisTold || sinceWhole >= WHOLE_EVERY);
        if (hasAxis) {
            axisTold = frame.axis().id();
            sinceWhole = 0;
        }
        sinceWhole++;
        return new Line(FrameWriter.line(frame, hasAxis), hasAxis);
    }
}

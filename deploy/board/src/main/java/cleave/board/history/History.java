package cleave.board.history;

import cleave.board.frame.Frame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Frames in layers of falling resolution: the last 600 as they came, behind them 60 of a minute each, and so on for five weeks. What leaves
 * a layer is folded into the next, so at most 1,492 frames are kept. Confined to its owner.
 */
public final class History {
    /** A number of frames, and the time that each of them covers, aligned to multiples of it; 0: as it came. */
    private record Layer(int frames, long spanMillis) {}

    private static final long MINUTE = 60_000;
    private static final List<Layer> LAYERS = List.of(
            new Layer(600, 0),
            new Layer(60, MINUTE),
            new Layer(210, 2 * MINUTE),
            new Layer(160, 6 * MINUTE),
            new Layer(288, 30 * MINUTE),
            new Layer(168, 240 * MINUTE));

    private final boolean hashed;
    private final List<Deque<Frame>> kept = new ArrayList<>();
    /** What has left the layer before and does not yet fill a frame of this one. */
    private final List<Fold> forming = new ArrayList<>();

    /** @param hashed whether keys are hashes */
    public History(boolean hashed) {
        this.hashed = hashed;
        for (int i = 0; i < LAYERS.size(); i++) {
            kept.add(new ArrayDeque<>());
            forming.add(new Fold(hashed));
        }
    }

    /** Frames come in the order of their times. After a clock was set back, those that are not before the frame are forgotten. */
    public void add(Frame frame) {
        forgetFrom(frame.t());
        Frame before = newest();
        add(0, before == null ? frame : frame.withCells(frame.cells().sharing(before.cells())));
    }

    private void forgetFrom(long t) {
        for (int at = 0; at < LAYERS.size(); at++) {
            Deque<Frame> frames = kept.get(at);
            while (!frames.isEmpty() && frames.getLast().t() >= t) {
                frames.removeLast();
            }
            if (!forming.get(at).isEmpty() && forming.get(at).end() >= t) {
                forming.set(at, new Fold(hashed));
            }
        }
    }

    private void add(int at, Frame frame) {
        if (at == LAYERS.size()) {
            return; // It is forgotten.
        }
        Layer layer = LAYERS.get(at);
        if (layer.spanMillis() == 0) {
            keep(at, frame);
            return;
        }
        Fold fold = forming.get(at);
        if (!fold.isEmpty() && period(layer, fold.end()) != period(layer, frame.t())) {
            keep(at, fold.result());
            fold = new Fold(hashed);
            forming.set(at, fold);
        }
        fold.add(frame);
    }

    private static long period(Layer layer, long t) {
        return Math.floorDiv(t - 1, layer.spanMillis());
    }

    private void keep(int at, Frame frame) {
        Deque<Frame> frames = kept.get(at);
        frames.addLast(frame);
        if (frames.size() > LAYERS.get(at).frames()) {
            add(at + 1, frames.removeFirst());
        }
    }

    public @Nullable Frame newest() {
        return kept.get(0).peekLast();
    }

    /** All frames, oldest first. */
    public List<Frame> frames() {
        List<Frame> all = new ArrayList<>();
        for (int at = LAYERS.size() - 1; at >= 0; at--) {
            all.addAll(kept.get(at));
            if (!forming.get(at).isEmpty()) {
                all.add(forming.get(at).result());
            }
        }
        return all;
    }

    /** The frames that end after one time and not after the other, oldest first. */
    public List<Frame> frames(long after, long until) {
        return frames().stream()
                .filter(frame -> frame.t() > after && frame.t() <= until)
                .toList();
    }
}

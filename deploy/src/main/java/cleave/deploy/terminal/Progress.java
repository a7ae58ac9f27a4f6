package cleave.deploy.terminal;

import java.io.PrintWriter;

/**
 * One line that shows how far something has come: rewritten in place on a terminal, and elsewhere written once when it ends.
 * Confined to one thread. The launcher knows whether standard error is a terminal, and says so.
 */
public final class Progress implements AutoCloseable {
    private final PrintWriter out;
    private final boolean inPlace;
    private String shown = "";

    public Progress(PrintWriter out) {
        this(out, Boolean.getBoolean("cleave.terminal"));
    }

    Progress(PrintWriter out, boolean inPlace) {
        this.out = out;
        this.inPlace = inPlace;
    }

    public void show(String line) {
        if (line.equals(shown)) {
            return;
        }
        if (inPlace) {
            out.print("\r" + line + " ".repeat(Math.max(0, shown.length() - line.length())));
            out.flush();
        }
        shown = line;
    }

    /** The last line stays. */
    @Override
    public void close() {
        if (shown.isEmpty()) {
            return;
        }
        out.println(inPlace ? "" : shown);
        out.flush();
        shown = "";
    }
}

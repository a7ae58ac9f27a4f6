package cleave.chaos.lab.script;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabRun;
import java.io.IOException;
import java.util.List;

/** The steps of a lab as its page has them. Immutable. */
public final class Script implements Experiment {
    private final List<Step> steps;

    private Script(List<Step> steps) {
        this.steps = steps;
    }

    /**
     * Reads a script; CommandFailure with its line if it is none.
     *
     * @param file where it is
     * @param first the number of its first line there, from 1
     */
    public static Script read(String file, int first, List<String> lines) {
        return new Script(new Steps().of(Line.tree(file, first, lines)));
    }

    @Override
    public void run(LabRun run) throws IOException {
        try (Play play = new Play(run)) {
            for (Step step : steps) {
                step.play(play);
            }
        }
    }
}

package cleave.chaos.lab.faults;

import cleave.chaos.picture.MessageDiagram;
import cleave.chaos.picture.MessageDiagram.Fate;
import cleave.chaos.picture.MessageDiagram.Message;
import cleave.chaos.picture.MessageDiagram.Sentence;
import cleave.chaos.picture.MessageDiagram.Step;
import cleave.chaos.sim.Scenario;
import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.stories.Timeline;
import java.util.ArrayList;
import java.util.List;

/** Stories of the simulator as pictures. Pure. */
final class Stories {
    private static final double NANOS_PER_SECOND = 1e9;

    private Stories() {}

    /** What happened in a story, with a bug or without one; what the checks say of it comes last. */
    static MessageDiagram diagram(Scenario story, Bug bug, Scenario.Report report) {
        List<Step> steps = new ArrayList<>();
        double end = 0;
        for (Timeline.Entry entry : report.diagram().entries()) {
            end = entry.nanos() / NANOS_PER_SECOND;
            steps.add(step(entry, end));
        }
        String verdict = report.isRight()
                ? "No check finds anything wrong."
                : "WRONG. What should have held: " + story.rule() + ".";
        steps.add(new Sentence(end, verdict, !report.isRight()));
        String title = story.id() + (bug == Bug.NONE ? "" : " --bug " + bug) + ": " + story.title();
        return new MessageDiagram(title, report.diagram().participants(), steps);
    }

    private static Step step(Timeline.Entry entry, double seconds) {
        if (!entry.isArrow()) {
            return new Sentence(seconds, entry.text(), false);
        }
        Fate fate = switch (entry.head()) {
            case ARRIVES -> Fate.ARRIVES;
            case HELD -> Fate.HELD;
            case LOST -> Fate.LOST;
        };
        return new Message(seconds, entry.from(), entry.to(), fate, entry.isAnswer(), entry.text());
    }
}

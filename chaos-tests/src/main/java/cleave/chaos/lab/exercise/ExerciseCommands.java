package cleave.chaos.lab.exercise;

import cleave.deploy.CommandProvider;
import java.util.List;

/** The commands of the exercises. */
public final class ExerciseCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        return List.of(new ExerciseCommand(), new GradeCommand());
    }
}

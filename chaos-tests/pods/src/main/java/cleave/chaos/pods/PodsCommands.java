package cleave.chaos.pods;

import cleave.deploy.CommandProvider;
import java.util.List;

/** The commands that this module adds to {@code cleave}. */
public final class PodsCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        return List.of(new PodsCommand());
    }
}

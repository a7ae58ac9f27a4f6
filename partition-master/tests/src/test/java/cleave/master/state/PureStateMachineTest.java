package cleave.master.state;

class PureStateMachineTest extends StateMachineContract {
    private final Script script = new Script();

    @Override
    protected MasterAnswer apply(MasterCommand command) {
        return script.apply(command);
    }

    @Override
    protected MasterState state() {
        return script.state();
    }
}

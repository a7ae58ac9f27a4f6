package cleave.chaos.lab.script;

/** What has a value when a script is played. Immutable. */
@FunctionalInterface
interface Expression {
    /** IllegalArgumentException if the values of names do not fit. */
    Object in(Play play);

    default String text(Play play) {
        return Values.text(in(play));
    }
}

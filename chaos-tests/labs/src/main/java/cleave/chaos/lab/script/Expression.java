package cleave.chaos.lab.script;

/** A part of a script that has a value when it is played. Immutable. */
@FunctionalInterface
interface Expression {
    /** IllegalArgumentException if the values of names do not fit. */
    Object in(Play play);

    default String text(Play play) {
        return Values.text(in(play));
    }
}

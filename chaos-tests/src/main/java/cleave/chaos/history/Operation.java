package cleave.chaos.history;

/** One request of one client, which is one thing done at one moment, and what came of it. */
public sealed interface Operation permits Change, Get, Page {
    Call call();

    Outcome outcome();

    /** What was asked and answered, without who and when. */
    String told();
}

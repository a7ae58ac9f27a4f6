package cleave.chaos.history;

/** One request of one client, which takes effect at one moment, and its outcome. */
public sealed interface Operation permits Change, Get, Page {
    Call call();

    Outcome outcome();

    /** The request and its answer, without client and times. */
    String told();
}

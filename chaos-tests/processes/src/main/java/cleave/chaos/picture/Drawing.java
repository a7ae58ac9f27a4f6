package cleave.chaos.picture;

/** What can be drawn as an SVG. Immutable. */
public interface Drawing {
    String title();

    /** A document of its own, or a part of a page. */
    String svg();
}

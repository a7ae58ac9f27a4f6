package cleave.board;

import static cleave.architecture.Layers.isKnownOnlyTo;
import static cleave.architecture.Layers.knowsNone;
import static cleave.architecture.Layers.knowsOnly;

import cleave.architecture.Product;
import cleave.architecture.PureCore;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Who may know whom inside the board. */
@AnalyzeClasses(packages = "cleave.board", importOptions = Product.class)
class LayeringTest {
    private static final String[] CORE = {
        "cleave.board.frame", "cleave.board.axis", "cleave.board.history", "cleave.board.sight", "cleave.board.scrape"
    };

    @ArchTest
    static final ArchRule WHAT_IS_SHOWN_IS_COMPUTED_PURELY = PureCore.ofSilent(CORE);

    @ArchTest
    static final ArchRule THE_CORE_KNOWS_NO_ADAPTER =
            knowsNone(String.join(" ", CORE), "cleave.board", "cleave.board.http", "cleave.board.recording");

    @ArchTest
    static final ArchRule FRAMES_KNOW_NOTHING_BUT_JSON = knowsOnly(
            "cleave.board.frame",
            "cleave.board.frame cleave.model com.fasterxml.jackson.core.. java.io java.lang.. "
                    + "java.util.. org.jspecify..");

    @ArchTest
    static final ArchRule ONLY_HTTP_KNOWS_VERTX = isKnownOnlyTo("io.vertx.. io.netty..", "cleave.board.http");
}

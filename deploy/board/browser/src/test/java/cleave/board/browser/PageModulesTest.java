package cleave.board.browser;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class PageModulesTest {
    @Test
    void whatThePageComputesIsRightWithoutABrowser() throws IOException {
        Browser.here().runModules("pure.test.mjs");
    }
}

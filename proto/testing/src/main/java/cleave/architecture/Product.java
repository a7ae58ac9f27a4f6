package cleave.architecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;

/** Classes of the product, whether in folders or in jars: none of a module for tests ({@code testing}, {@code tests}). */
public final class Product implements ImportOption {
    @Override
    public boolean includes(Location location) {
        return !location.contains("/testing/") && !location.contains("/tests/") && !location.contains("-testing");
    }
}

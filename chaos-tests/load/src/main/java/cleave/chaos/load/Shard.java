package cleave.chaos.load;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * One of several processes that share a load. Immutable.
 *
 * @param number from 1 to {@code count}
 */
record Shard(int number, int count) {
    static final Shard WHOLE = new Shard(1, 1);

    private static final Pattern TEXT = Pattern.compile("([1-9]\\d{0,3})/([1-9]\\d{0,3})");

    static Shard parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (matcher.matches()) {
            Shard shard = new Shard(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
            if (shard.number <= shard.count) {
                return shard;
            }
        }
        throw new IllegalArgumentException("'" + text + "' is no I/N with I from 1 to N, such as 2/3");
    }

    /** Its part of a number, at least 1; the parts of all add up to the number if that suffices. */
    int of(int all) {
        return Math.max(1, all / count + (number <= all % count ? 1 : 0));
    }

    /** For picocli. */
    static final class Converter implements ITypeConverter<Shard> {
        @Override
        public Shard convert(String text) {
            try {
                return parse(text);
            } catch (IllegalArgumentException wrong) {
                throw new TypeConversionException(wrong.getMessage());
            }
        }
    }
}

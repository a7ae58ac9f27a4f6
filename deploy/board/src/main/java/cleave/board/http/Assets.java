package cleave.board.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files of the page, which are in this module's jar. Thread-safe. */
final class Assets {
    private static final String FOLDER = "/cleave/board/web/";
    /** Names without dots in front, so that no path leaves the folder. */
    private static final Pattern PATH =
            Pattern.compile("(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "LICENSE", "text/plain; charset=utf-8");

    private final Map<String, Asset> known = new ConcurrentHashMap<>();

    /** A file. Immutable, if its bytes are left alone. */
    static final class Asset {
        private final String type;
        private final byte[] bytes;
        private final byte[] zipped;
        private final String tag;

        Asset(String type, byte[] bytes) {
            this.type = type;
            this.bytes = bytes;
            this.zipped = Zip.whole(bytes);
            this.tag = '"' + hash(bytes) + '"';
        }

        String type() {
            return type;
        }

        byte[] bytes() {
            return bytes;
        }

        byte[] zipped() {
            return zipped;
        }

        /** Of its content, for If-None-Match. */
        String tag() {
            return tag;
        }
    }

    /** The file at a path of a URL; null if there is none. */
    @Nullable
    Asset at(String path) {
        String name = path.equals("/") ? "index.html" : path.substring(1);
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null || !PATH.matcher(name).matches()) {
            return null;
        }
        Asset asset = known.get(name);
        if (asset == null) {
            asset = read(name, type);
            if (asset != null) {
                known.put(name, asset);
            }
        }
        return asset;
    }

    private static @Nullable Asset read(String name, String type) {
        try (InputStream in = Assets.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                return null;
            }
            return new Asset(type, in.readAllBytes());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String hash(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}

package cleave.board.http;

import cleave.runtime.rpc.DialledName;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Who may see a board. Immutable.
 *
 * <p>At a loopback address, anybody on this machine, but no page of another site in a browser here. With a token, who has it: in the header
 * {@code Authorization: Bearer}, or in the cookie that an answer to that header sets, since a browser's streams have no headers of their own. It is
 * never a part of a URL that is sent.
 */
final class Admittance {
    private static final String COOKIE = "cleave-board";
    private static final String SCHEME = "Bearer ";

    private final DialledName name;
    private final @Nullable String token;
    private final String session;

    /**
     * @param host as it was given to listen on
     * @param token null: none is needed
     */
    Admittance(InetAddress bound, String host, @Nullable String token) {
        this.name = new DialledName(bound, host);
        this.token = token;
        this.session = token == null ? "" : session(token);
    }

    private static String session(String token) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal("a viewer of the board".getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** {@link Unusable} if the request was dialled under a name that is not this board's, or sent by a page of another site. */
    void checkSender(HttpServerRequest request) {
        String host = request.getHeader("Host");
        if (host == null || !name.isDialled(host)) {
            throw new Unusable(421, "'" + host + "' is not the name of this board; use its address, or localhost");
        }
        String origin = request.getHeader("Origin");
        String site = request.getHeader("Sec-Fetch-Site");
        boolean isOther = origin != null && !origin.equals("http://" + host) && !origin.equals("https://" + host);
        boolean isNavigation = "navigate".equals(request.getHeader("Sec-Fetch-Mode"));
        if (isOther || ("cross-site".equals(site) && !isNavigation)) {
            throw new Unusable(403, "pages of other sites may not read this board");
        }
    }

    /** {@link Unusable} unless the sender has the token, or none is needed. */
    void checkToken(HttpServerRequest request) {
        if (token == null) {
            return;
        }
        String header = request.getHeader("Authorization");
        if (header != null && header.startsWith(SCHEME) && isEqual(header.substring(SCHEME.length()), token)) {
            request.response()
                    .putHeader("Set-Cookie", COOKIE + "=" + session + "; HttpOnly; SameSite=Strict; Path=/api/");
            return;
        }
        for (String cookies : request.headers().getAll("Cookie")) {
            for (String cookie : cookies.split(";")) {
                if (cookie.strip().startsWith(COOKIE + "=")
                        && isEqual(cookie.strip().substring(COOKIE.length() + 1), session)) {
                    return;
                }
            }
        }
        request.response().putHeader("WWW-Authenticate", "Bearer");
        throw new Unusable(
                401, "this board needs its token: open it with #token=TOKEN behind its address, or send it as Bearer");
    }

    /** {@link Unusable} unless the sender has the token of those who may act; no cookie stands for it. */
    static void checkAdmin(HttpServerRequest request, String needed) {
        String given = request.getHeader(Acting.HEADER);
        if (given == null || !isEqual(given, needed)) {
            throw new Unusable(
                    403,
                    given == null
                            ? "only who has the administrator's token may do this; the header " + Acting.HEADER
                                    + " is missing"
                            : "this is not the administrator's token of this board");
        }
    }

    private static boolean isEqual(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}

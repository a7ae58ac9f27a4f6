package cleave.frontend.protocol.odata;

/** Escaping of text in XML. */
public final class XmlText {
    private XmlText() {}

    /** Characters that are illegal in XML become U+FFFD. A raw carriage return would be read as a line feed, so it is escaped. */
    public static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '\r' -> escaped.append("&#13;");
                default -> escaped.append(isXml(c) ? c : '\ufffd');
            }
        }
        return escaped.toString();
    }

    private static boolean isXml(char c) {
        return c >= 0x20 ? c != 0xfffe && c != 0xffff : c == '\n' || c == '\t';
    }
}

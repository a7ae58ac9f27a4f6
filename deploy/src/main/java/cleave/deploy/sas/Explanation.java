package cleave.deploy.sas;

import cleave.deploy.terminal.TextTable;
import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.Right;
import cleave.frontend.protocol.auth.SasToken;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ServiceError;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A judgement as text for the terminal. Pure.
 *
 * @param assumesClient true if the address of the client is not given
 */
record Explanation(Judgement.Request request, Judgement judgement, boolean assumesClient) {
    /** {@code list-tables}. */
    static String name(Right right) {
        return right.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String text() {
        SasToken token = judgement.token();
        return fields() + "\n" + (token == null ? "" : signature(token) + "\n" + operations(token)) + assumptions()
                + verdict();
    }

    /** Escapes characters that a terminal obeys: a signature may come from anybody. */
    private static String printable(String text) {
        StringBuilder printable = new StringBuilder();
        text.chars().forEach(c -> {
            if (c == '\n') {
                printable.append("\\n");
            } else if (Character.isISOControl(c)) {
                printable.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                printable.append((char) c);
            }
        });
        return printable.toString();
    }

    private String fields() {
        QueryString query = request.query();
        boolean isOfTable = query.contains("tn");
        TextTable table = new TextTable("FIELD", "VALUE", "MEANING");
        for (String name : FieldText.names(query)) {
            String value = query.valueOrNull(name);
            table.row(
                    printable(name),
                    value == null ? "(given twice)" : printable(FieldText.shown(name, value)),
                    value == null ? "" : FieldText.meaning(name, value, isOfTable, request.nowTicks()));
        }
        return table.text();
    }

    private String signature(SasToken token) {
        StringBuilder text = new StringBuilder("account: ")
                .append(printable(request.account()))
                .append('\n');
        try {
            for (String signed : token.stringsToSign(request.account())) {
                text.append("string to sign: ").append(printable(signed)).append('\n');
            }
            text.append("signature: ").append(check(token, request.accounts())).append('\n');
        } catch (ServiceError none) {
            text.append("signature: ").append(Judgement.inWords(none)).append('\n');
        }
        return text.toString();
    }

    private String check(SasToken token, @Nullable Accounts accounts) {
        if (accounts == null) {
            return "not checked, since the key of account " + request.account() + " is not given";
        }
        return token.isSignedBy(accounts, request.account())
                ? "right"
                : "WRONG: a key of account " + request.account()
                        + " did not make it, or a field was changed afterwards";
    }

    private String operations(SasToken token) {
        Grant grant = judgement.grant();
        if (grant == null) {
            return "";
        }
        if (grant instanceof Grant.ByPolicy referring && request.policies() == null) {
            return "What it permits also depends on the table's stored access policy '" + printable(referring.policy())
                    + "'; --ask reads that from the service.\n\n";
        }
        TextTable table = new TextTable("OPERATION", "PERMITTED", "WHY NOT");
        for (Right right : Right.values()) {
            if (right.isOfEntities() || !token.isOfTable()) {
                ServiceError refusal = Judgement.refusal(grant, right, request.table());
                table.row(
                        name(right), refusal == null ? "yes" : "no", refusal == null ? "" : Judgement.inWords(refusal));
            }
        }
        return table.text() + "\n";
    }

    private String assumptions() {
        Judgement.EntityKeys entity = request.entity();
        return "Judged as " + (request.right() == null ? "a request" : name(request.right())) + " over "
                + (request.secure() ? "https" : "http")
                + (assumesClient ? "" : " from " + request.client())
                + (request.table().isEmpty() ? "" : " to table " + printable(request.table()))
                + (entity == null
                        ? ""
                        : ", entity ('" + printable(entity.partitionKey()) + "', '" + printable(entity.rowKey()) + "')")
                + (assumesClient && request.query().contains("sip") ? "; --from judges its address, too" : "") + ".\n";
    }

    private String verdict() {
        List<ServiceError> faults = judgement.faults();
        if (faults.isEmpty()) {
            return "The service accepts it" + (request.accounts() == null ? ", if the signature is right" : "")
                    + (request.right() == null ? ", for what is permitted above.\n" : ".\n");
        }
        StringBuilder text = new StringBuilder("The service refuses it: ")
                .append(Judgement.inWords(faults.get(0)))
                .append(".\n");
        faults.stream()
                .skip(1)
                .forEach(fault -> text.append("Besides: ")
                        .append(Judgement.inWords(fault))
                        .append(".\n"));
        return text.toString();
    }
}

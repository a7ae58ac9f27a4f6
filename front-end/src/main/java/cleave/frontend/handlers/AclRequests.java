package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.odata.TableName;
import cleave.frontend.protocol.service.SignedIdentifiers;
import cleave.frontend.request.Answer;
import cleave.frontend.routing.Caller;
import cleave.frontend.routing.TableDirectory;
import cleave.model.table.AccessPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Answers requests for the stored access policies of tables. Confined to its loop. New policies can be read and used at once;
 * revoked ones end within the time for which front ends cache tables.
 */
public final class AclRequests {
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;

    private final TableDirectory tables;

    public AclRequests(TableDirectory tables) {
        this.tables = tables;
    }

    public CompletableFuture<Answer> get(Caller caller, String table) {
        checkName(table);
        return tables.read(caller.account(), table, caller.deadlineNanos())
                .thenApply(found -> found.filter(existing -> !existing.deleting())
                        .map(existing -> Answer.xml(OK, SignedIdentifiers.write(existing.policies())))
                        .orElseThrow(AclRequests::notFound));
    }

    public CompletableFuture<Answer> set(Caller caller, String table, Body body) {
        checkName(table);
        List<AccessPolicy> policies = SignedIdentifiers.read(body);
        return tables.replacePolicies(caller.account(), table, policies, caller.deadlineNanos())
                .thenApply(nothing -> Answer.plain(NO_CONTENT));
    }

    private static void checkName(String table) {
        if (!TableName.isLegal(table)) {
            throw notFound();
        }
    }

    private static ServiceError notFound() {
        return ServiceError.of(ServiceCode.RESOURCE_NOT_FOUND);
    }
}

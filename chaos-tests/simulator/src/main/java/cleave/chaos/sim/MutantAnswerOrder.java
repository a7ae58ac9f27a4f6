package cleave.chaos.sim;

import cleave.server.policy.AnswerOrder;
import cleave.server.policy.Judgement;

/** The order of answers, with a planted bug. Confined to the simulation. */
final class MutantAnswerOrder implements AnswerOrder {
    private final Bug bug;

    MutantAnswerOrder(Bug bug) {
        this.bug = bug;
    }

    @Override
    public boolean mayOvertake(Judgement judgement) {
        return AnswerOrder.OF_THE_LOG.mayOvertake(judgement)
                || (bug == Bug.REFUSAL_OUT_OF_ORDER && !judgement.isExecuted());
    }

    @Override
    public boolean isDurable(boolean confirmed, long offset, long sealedLength) {
        boolean forgets = bug == Bug.DURABLE_RECORD_JUDGED_BY_THE_NEXT_LOG;
        return AnswerOrder.OF_THE_LOG.isDurable(confirmed && !forgets, offset, sealedLength);
    }
}

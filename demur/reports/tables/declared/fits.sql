SELECT
    policy, behaviour, grader, margin, l2, objective, relative_gap, prompts_train, prompts_held_out, pairs_train,
    pairs_held_out, hinge_loss_train, hinge_loss_held_out, pairwise_error_train, pairwise_error_held_out,
    ideal_first_train, ideal_first_held_out
FROM live_fits WHERE round_id = $round
ORDER BY policy, behaviour;

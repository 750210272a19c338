"""The ladder: solve puzzles by ever stronger techniques. Entry point: `solver.ladder.climb`.

This table is the only statement of the order. Each step gets the puzzles that the steps before it left open. All share
the puzzle's CPU limit; when it is reached the puzzle is `late` and its status `timeout`. Steps 1 to 7 are kernels over
a group of puzzles, steps 8 to 10 take one puzzle at a time (`tail.run_tail`). Answers: U unique, N none, M multiple.

    step          what it does                                          file            ends when               answers
    1 line        line logic                                            fixpoint        nothing changes         U N
    2 greedy      two passes that set cell after cell: to its last      dive            both passes end         M
                  possible colour, then to its first
    3 dive        sets the most certain cells by belief propagation,    dive            solved or contradiction M
                  if there are many blocks and many open cells
    4 depth-2     refutes colours by assumptions followed `depth`       lookahead       nothing is refuted      U N
                  levels (2)
    5 probe       refutes colours by assumptions followed to the        lookahead       nothing is refuted      U N
                  fixpoint of line logic
    6 search      full probing at each node, branching depth first      search          exhausted, 2 solutions, U N M
                                                                                        or SEARCH_NODES (1)
    7 dive        step 3 again, whatever the blocks and open cells      dive            solved or contradiction M
    8 learner     BEFORE_LEADS conflicts of Glucose, if there are few tail            solved or conflicts     U N M
                  blocks and variables                                                  spent
    9 leads       Glucose under assumptions that dives have decided     tail            solved or all fail      M
    10 learner    Glucose without assumptions                           tail            solved                  U N M

The first solution that a step finds is kept and searched for a switch (solver.ladder.swap), which gives a second one;
later steps look only for others. Steps 2, 3 and 6 to 10 count as the rung `search` and are skipped if the last rung is
another. A puzzle whose blocks have more than MOST_PLACES places ends with step 6, without a node limit: its formula
would not fit in memory. Boards too large for beliefs (BELIEF_BYTES) skip steps 3, 7 and 9.
"""

// What formulas.py writes into every page: the expressions that Python declares, as functions.

import type {Counts, Named} from './types';

/** Metrics that have an expression, by name. */
export const METRIC: Named<(counts: Counts) => number>;

export const FORMULA: {
  probability_after(prior: number, ratio: number): number;
  break_even(odds: number, ratio: number): number;
  net_benefit(tp: number, fp: number, worth: number): number;
  share(count: number, of: number): number;
  expected_cost(fp: number, fn: number, cost_fp: number, cost_fn: number): number;
};

/** Whether a verdict is good, bad or open, by its label. */
export const VERDICT_TONES: Named<string | undefined>;

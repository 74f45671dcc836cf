// What a page is given (as report/schema.json says) and what its script makes of that.

/** A number; null where it is undefined, 'inf' and '-inf' where it is infinite. */
export type Value = number | string | null;
export type Column = Value[];
export type Named<T> = Record<string, T>;

export interface Payload {
  schema: string;
  version: string;
  kind: 'evaluate' | 'counts' | 'thresholds' | 'compare' | 'resolve' | 'subgroups' | 'classes';
  title: string;
  command: string;
  prevalence: Value;
  words?: {positive: string; unit: string; label: string};
  date?: string;
  citation?: {text: string; bibtex: string; fingerprint: string};
  metrics: Named<MetricPart>;
  models: ModelPart[];
  calibration?: CalibrationPart;
  decision_differences?: DecisionDifferencePart[];
  costs?: Payer[];
  card?: CardPart;
  comparison?: ComparisonPart;
  resolution?: ResolutionPart;
  ledger?: LedgerPart[];
  folds?: FoldsPart;
  subgroups?: SubgroupsPart;
  sites?: SitesPart;
  classes?: ClassesPart;
}

export interface BandPart {
  x: Column;
  y: Column;
  low: Column;
  high: Column;
  kind: string;
  method: string;
}

export interface CalibrationPart {
  sentence: string;
  numbers: Named<EstimatePart & {label: string}>;
  band: BandPart;
  spiegelhalter: {z: Value; p_value: Value};
}

export interface DecisionDifferencePart extends BandPart {
  first: string;
  second: string;
  sentence: string;
}

export interface Payer {
  name: string;
  fp: number;
  fn: number;
}

export interface SiteEntryPart {
  label: string;
  estimates: ShortEstimatePart[];
  mean: ShortEstimatePart;
  new_site: ShortEstimatePart;
  spread: {low: Value; high: Value};
  p_value: Value;
  test: string;
  sentence: string;
}

export interface SitesPart {
  left_out: number;
  findings: FindingPart[];
  sites: {name: string; n: Value}[];
  entries: SiteEntryPart[];
}

export interface FoldsPart {
  metrics: string[];
  rows: {name: string; estimates: Named<EstimatePart>}[];
}

export interface LedgerPart {
  name: string;
  title: string;
  advice: string;
  entries: {definition: string; value: Value; tools: string; why: string}[];
}

export interface FindingPart {
  rule: string;
  verdict: string;
  sentence: string;
  numbers: Named<Value>;
}

export interface MetricPart {
  label: string;
  question: string;
  of: 'counts' | 'ranks' | 'probabilities';
  better: 'higher' | 'lower' | 'neither';
  range: Column;
  expression: string;
  depends_on_prevalence: boolean;
  undefined: string;
  misleads: string;
  references: string[];
}

/** The least that every estimate has. */
export interface ShortEstimatePart {
  value: Value;
  low: Value;
  high: Value;
  undefined: string | null;
}

export interface EstimatePart extends ShortEstimatePart {
  method: string;
  baseline: Value;
  bound?: Column;
  bound_text?: string;
}

export interface StopsPart {
  threshold: Column;
  tp: Column;
  fp: Column;
  b?: Column;
  verdict?: string[];
  intervals: Named<[Column, Column]>;
  values: Named<Column>;
  ratios: Named<[Column, Column]>;
}

export interface LinePart {
  x: Column;
  y: Column;
}

export interface CurvePart extends LinePart {
  x_label?: string;
  y_label?: string;
  points?: number;
  note?: string;
  baselines?: Named<LinePart & {words?: string}>;
  band?: {x: Column; low: Column; high: Column; kind: string; method: string};
  bins?: {score: Column; share: Column; low: Column; high: Column; weight: Column; note: string};
}

export interface HistogramPart {
  left: Column;
  right: Column;
  share_of_positives: Column;
  share_of_negatives: Column;
}

export interface ModelPart {
  name: string;
  source: string;
  n: number;
  positives: number;
  negatives: number;
  threshold: Value;
  threshold_origin?: string | null;
  design: string;
  level: number;
  n_resamples: Value;
  seed: Value;
  findings: FindingPart[];
  estimates: Named<EstimatePart>;
  stops: StopsPart;
  curves: Named<CurvePart>;
  distinct_scores?: number;
  lowest_score?: number;
  highest_score?: number;
  histogram?: HistogramPart;
  binned?: boolean;
  skipped?: {rows: number; reasons: Named<number>};
  start?: Value;
  indistinguishable?: string;
  start_words?: string;
}

export interface CardPart {
  honest: string;
  prevalence: Value;
  findings: FindingPart[];
  rules: RulePart[];
  advice?: string[];
  settings: Named<string | number | boolean | null>;
}

export interface RulePart {
  name: string;
  label: string;
  why: string;
  sentence: string;
  threshold: Value;
  low: Value;
  high: Value;
  method: string;
  flat: Column;
  unreachable: string | null;
  in_short?: boolean;
  metrics: Named<{value: Value; low: Value; high: Value; apparent: Value; optimism: Value}>;
}

export interface ComparisonPart {
  models: string[];
  left_out: number;
  metrics: string[];
  n: Value;
  positives: Value;
  settings: ComparisonSettings;
  differences: DifferencePart[];
  findings: string[];
  sentence?: string;
  verdict?: string;
  table?: Named<Named<ShortEstimatePart>>;
  leaderboard?: LeaderboardPart;
  subgroups?: ComparedSubgroupsPart[];
}

/** Two models' difference in one metric, in each subgroup: the label of a difference is the subgroup's name. */
export interface ComparedSubgroupsPart {
  by: string[];
  label: string;
  first: string;
  second: string;
  sentence: string;
  left_out: number;
  differences: DifferencePart[];
}

/** Best first; models of one tier are not told apart. */
export interface LeaderboardPart {
  metric: string;
  label: string;
  standings: StandingPart[];
}

/** A model's value with its own interval, and its difference from the best with that of the pair. */
export interface StandingPart {
  place: number;
  tier: number;
  model: string;
  value: Value;
  difference: Value;
  low: Value;
  high: Value;
  p_value: Value;
  own_low?: Value;
  own_high?: Value;
}

/** Of the settings, those that a page names. */
export interface ComparisonSettings {
  confidence_level: number;
  adjust: string;
  n_resamples?: number;
  seed?: number;
  classes?: string[];
}

export interface DifferencePart {
  metric: string;
  label: string;
  first: string;
  second: string;
  first_value: Value;
  second_value: Value;
  difference: Value;
  low: Value;
  high: Value;
  method?: string;
  p_value: Value;
  unadjusted_p_value: Value;
  test: string;
  verdict: string;
  within_margin?: boolean | null;
  not_worse?: boolean | null;
  cases_needed?: Value;
  better: 'higher' | 'lower' | 'neither';
}

export interface ResolutionPart {
  paragraph: string;
  reference: string;
  at: Column;
  n: Value;
  positives: Value;
  design: string;
  method: string;
  level: Value;
  n_samples: Value;
  seed: Value;
  rows: ResolutionRow[];
  curves: Named<LinePart & {problem?: string | null}>;
  kinds?: KindPart[];
}

export interface KindPart {
  improvement: string;
  words: string;
  outcome: string;
  sentence: string;
  cases: Named<Value>;
  better: string[];
}

export interface ResolutionRow extends ShortEstimatePart {
  metric: string;
  at: Value;
  mapped_low: Value;
  mapped_high: Value;
  kappa: Value;
  delta: Value;
  mc_error: Value;
  theory_error: Value;
  wins: Value;
  kappa_w: Value;
  efficiency: Value;
  not_ranked: string;
  caution: string;
}

export interface SubgroupsPart {
  by: string[];
  reference: string;
  left_out: number;
  metrics: string[];
  findings: FindingPart[];
  groups: SubgroupPart[];
  differences: GapPart[];
  sentence?: string;
  gaps?: WidestPart[];
}

export interface WidestPart extends ShortEstimatePart {
  metric: string;
  highest: string;
  lowest: string;
  by_chance: Value;
  p_equal: Value;
  corrected: Value;
  sentence: string;
}

export interface SubgroupPart {
  name: string;
  n: Value;
  positives: Value;
  estimates: Named<ShortEstimatePart>;
}

export interface GapPart {
  metric: string;
  first: string;
  second: string;
  scale: 'difference' | 'ratio';
  difference: Value;
  low: Value;
  high: Value;
  p_value: Value;
  verdict: string;
  undefined: string | null;
}

export interface SummaryPart extends EstimatePart {
  note?: string;
}

/** Names stand in the order of the classes' places; cells are their steps from the cell before, row after row. */
export interface ClassesPart {
  name: string;
  source: string;
  n: number;
  names: string[];
  left_out: number;
  shortened: boolean;
  truth: Column;
  predicted: Column;
  cells: {step: number[]; count: number[]; left_out: number; at_most: number};
  order: Column;
  worst: MistakePart[];
  summaries: Named<SummaryPart>;
  declared: Named<ClassMetricPart>;
  table: {metrics: Named<ClassColumnsPart>; undefined: Named<string>};
  design: string;
  level: number;
  n_resamples: number;
  seed: Value;
  findings: FindingPart[];
  small_curves: Named<LinePart>;
  full: Column;
  risk_coverage?: RiskCoveragePart;
}

export interface MistakePart {
  truth: string;
  predicted: string;
  count: Value;
  of: Value;
  rate: Value;
  low: Value;
  high: Value;
  sentence: string;
}

export interface ClassMetricPart {
  label: string;
  question: string;
  better: 'higher' | 'lower' | 'neither';
  range: Column;
  misleads: string;
}

export interface ClassColumnsPart {
  label: string;
  value: Column;
  low: Column;
  high: Column;
}

export interface RiskCoveragePart {
  coverage: Column;
  risk: Column;
  low: Column;
  high: Column;
  threshold: Column;
  area: SummaryPart;
  overall: Value;
  at: {risk: Value; value: Value; low: Value; high: Value; cut: string}[];
}

/** The 2x2 table of one threshold, with its sums. */
export interface Counts {
  tp: number;
  fp: number;
  fn: number;
  tn: number;
  positives: number;
  negatives: number;
  labelled_positive: number;
  labelled_negative: number;
  total: number;
}

export type Cell = 'tp' | 'fp' | 'fn' | 'tn';

export interface Interval {
  value: number;
  low: number;
  high: number;
}

export interface Limits {
  low: number[];
  high: number[];
}

/** A model of the payload with its columns read, and its 2x2 table at every stop of the slider. */
export interface Model extends ModelPart {
  index: number;
  colour: string;
  title: string;
  scored: boolean;
  prevalence: number;
  thresholds: number[];
  b: number[] | undefined;
  counts: Counts[];
  intervals: Named<Limits>;
  ratios: Named<Limits>;
  values: Named<number[]>;
}

export type Shown = 'truth' | 'predicted' | 'count';

/** The classes of the payload with their columns read, and what a cell of their matrix holds. */
export interface Classes extends Omit<ClassesPart, 'truth' | 'predicted' | 'full'> {
  size: number;
  truth: number[];
  predicted: number[];
  full: number[];
  /** True class, predicted class, count: the cells that hold cases. */
  entries: [number, number, number][];
  count(truth: number, predicted: number): number;
  value(shown: Shown, truth: number, predicted: number, count: number): number;
}

export interface Section {
  id: string;
  title: string;
  /** What the navigation calls it. */
  short: string;
  /** What is inside, of sections that are folded for the statistician. */
  about?: string;
  when(): boolean;
  build(root: HTMLElement): void;
}

export type Child = Node | string | null | undefined | false;
export type Children = (Child | Child[])[];
export type Properties = Named<string | number | boolean | null | undefined>;

export interface Axis {
  low: number;
  high: number;
  label: string;
  ticks?: [number, string][];
}

/** A picture, and what it does when the slider moves. */
export interface Picture {
  node: HTMLElement;
  follow(): void;
}

/** One metric of the live simulation: columns over AUROC, prevalence, cases and, where it cuts, threshold. */
export interface SimulatedMetric {
  label: string;
  question: string;
  range: Column;
  cut: boolean;
  value: Column;
  low: Column;
  high: Column;
  undefined?: Column;
}

/** What the live simulation is given (reproduce/chance.py). */
export interface Simulation {
  version: string;
  title: string;
  samples: number;
  seed: number;
  areas: number[];
  separations: number[];
  prevalences: number[];
  sizes: number[];
  positives: number[][];
  thresholds: number[];
  grid: Column;
  negative_density: Column;
  positive_densities: Column[];
  entries: Named<SimulatedMetric>;
}

export interface ExercisePart {
  name: string;
  text: string;
  question: string;
  command: string;
  parts: {label: string; answer: Value; tolerance: Value; shown: string; why: string}[];
}

/** What the page of exercises is given (reproduce/exercises.py). */
export interface Exercises {
  version: string;
  title: string;
  exercises: ExercisePart[];
}

// The classifiers with their 2x2 tables at every stop of the slider, and what follows from a table.

import {CLASSES} from './classes.js';
import {FORMULA, METRIC} from './formulas.js';
import {payload} from './payload.js';
import {number, numbers, thresholdText} from './text.js';

/** @import {Column, Counts, Interval, Limits, Model, ModelPart, Named} from './types' */

const COLOURS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

/** @param {number} tp @param {number} fp @param {number} fn @param {number} tn @returns {Counts} */
function countsOf(tp, fp, fn, tn) {
  const positives = tp + fn;
  const negatives = fp + tn;
  const total = positives + negatives;
  return {tp, fp, fn, tn, positives, negatives, labelled_positive: tp + fp, labelled_negative: fn + tn, total};
}

/**
 * @template From, To
 * @param {Named<From>} found @param {(each: From) => To} run @returns {Named<To>}
 */
const mapValues = (found, run) => Object.fromEntries(Object.entries(found).map(([name, each]) => [name, run(each)]));

/** @param {[Column, Column]} pair @returns {Limits} */
const limitsOf = ([low, high]) => ({low: numbers(low), high: numbers(high)});

/** @param {ModelPart} part @param {number} index @returns {Model} */
function readModel(part, index) {
  const {stops, positives, negatives} = part;
  const thresholds = numbers(stops.threshold);
  const fp = numbers(stops.fp);
  return {
    ...part,
    index,
    colour: CLASSES ? 'one' : COLOURS[index % COLOURS.length],
    title: part.name || (payload.models.length > 1 ? `model ${index + 1}` : 'the classifier'),
    scored: Number.isFinite(thresholds[0]),
    prevalence: positives / part.n,
    thresholds,
    b: stops.b && numbers(stops.b),
    counts: numbers(stops.tp).map((tp, i) => countsOf(tp, fp[i], positives - tp, negatives - fp[i])),
    intervals: mapValues(stops.intervals, limitsOf),
    ratios: mapValues(stops.ratios, limitsOf),
    values: mapValues(stops.values, numbers),
  };
}

export const MODELS = payload.models.map(readModel);

/** @param {Limits | undefined} limits @param {number} stop */
const limitsAt = (limits, stop) => ({low: limits ? limits.low[stop] : NaN, high: limits ? limits.high[stop] : NaN});

/**
 * A decision metric of a model at a stop: its value, its interval as Python made it, and what chance would give.
 * @param {Model} model @param {string} name @param {number} stop
 */
export function decision(model, name, stop) {
  const counts = model.counts[stop];
  const metric = METRIC[name];
  const value = metric ? metric(counts) : (model.values[name]?.[stop] ?? NaN);
  return {value, ...limitsAt(model.intervals[name], stop), chance: metric ? metric(byChance(counts)) : NaN};
}

/** Labels without information that call as many cases positive. @param {Counts} counts */
export function byChance(counts) {
  const share = counts.positives / counts.total;
  const rate = counts.labelled_positive / counts.total;
  const other = 1 - rate;
  return countsOf(share * rate, (1 - share) * (1 - other), share * (1 - rate), (1 - share) * other);
}

/**
 * The same sensitivity and specificity at another prevalence, as shares of all cases.
 * @param {Counts} counts @param {number} prevalence
 */
export function atPrevalence(counts, prevalence) {
  const positive = prevalence / counts.positives;
  const negative = (1 - prevalence) / counts.negatives;
  return countsOf(counts.tp * positive, counts.fp * negative, counts.fn * positive, counts.tn * negative);
}

/** A likelihood ratio. @param {Model} model @param {string} name @param {number} stop @returns {Interval} */
export const ratioOf = (model, name, stop) => ({
  value: METRIC[name](model.counts[stop]),
  ...limitsAt(model.ratios[name], stop),
});

/**
 * Probability of being positive after a label, with its limits: the odds before times the likelihood ratio.
 * @param {Model} model @param {string} name @param {number} stop @param {number} prior @returns {Interval}
 */
export function probabilityAfter(model, name, stop, prior) {
  const {value, low, high} = ratioOf(model, name, stop);
  const after = (/** @type {number} */ ratio) => FORMULA.probability_after(prior, ratio);
  return {value: after(value), low: after(low), high: after(high)};
}

/** The threshold that was evaluated, and whose choice it was. @param {Model} model */
export function evaluatedAt({threshold, threshold_origin: origin, start_words: words}) {
  const cut = number(threshold);
  if (!Number.isFinite(cut)) return words || '';
  const whose = origin && origin !== 'given' ? ` (${origin})` : '';
  return `Decisions are made at the threshold ${thresholdText(cut)}${whose}.`;
}

/**
 * What a stop is called: by the rules that choose it, or because it was evaluated.
 * @param {Model} model @param {number} stop
 */
export function thresholdName(model, stop) {
  if (!model.scored) return '';
  const at = model.thresholds[stop];
  const rules = model.index ? [] : payload.card?.rules || [];
  const named = rules.find(rule => !rule.name.startsWith('fixed') && number(rule.threshold) === at);
  if (at === number(model.threshold)) {
    const origin = model.threshold_origin;
    return origin && origin !== 'given' ? origin : 'as evaluated';
  }
  return named ? named.label : '';
}

/** @param {Model} model @param {number} threshold */
export function nearestStop(model, threshold) {
  const at = model.thresholds.findIndex(each => each >= threshold);
  return at < 0 ? model.thresholds.length - 1 : at;
}

/**
 * The stop whose place on a picture is nearest.
 * @param {Model} model @param {(stop: number) => number[]} place across and up @param {number} x @param {number} y
 */
export function stopNear(model, place, x, y) {
  let [best, least] = [0, Infinity];
  model.counts.forEach((_, stop) => {
    const [across, up] = place(stop);
    const away = Math.hypot(across - x, up - y);
    if (away < least) [best, least] = [stop, away];
  });
  return best;
}

/**
 * Where the slider begins: at the threshold that was evaluated, or where `start_words` say.
 * @param {Model} model
 */
export function firstStop(model) {
  if (!model.scored) return 0;
  const {threshold, start} = model;
  return nearestStop(model, number(threshold === null && start !== undefined ? start : threshold));
}

// Metrics of a threshold at another prevalence.

import {FORMULA, METRIC} from '../formulas.js';
import {atPrevalence, probabilityAfter, ratioOf} from '../models.js';

/** @import {Interval, Model} from '../types' */

/**
 * Intervals where a closed form carries them over.
 * @param {Model} model @param {string} name @param {number} stop @param {number} prevalence @returns {Interval}
 */
export function shifted(model, name, stop, prevalence) {
  // No detour where nothing changes: the same digits and limits as in the table of decisions.
  const isOwn = prevalence === model.prevalence;
  const counts = model.counts[stop];
  const value = METRIC[name](isOwn ? counts : atPrevalence(counts, prevalence));
  const own = isOwn && model.intervals[name];
  if (own) return {value, low: own.low[stop], high: own.high[stop]};
  const known = 'lr_positive' in model.ratios && !Number.isNaN(value);
  return {value, ...(known ? shiftedLimits(model, name, stop, prevalence) : {low: NaN, high: NaN})};
}

/**
 * Probability of being positive after a label: where nothing changes, with the limits of the predictive value.
 * @param {Model} model @param {'positive' | 'negative'} label @param {number} stop @param {number} prior
 * @returns {Interval}
 */
export function afterLabel(model, label, stop, prior) {
  const found = probabilityAfter(model, `lr_${label}`, stop, prior);
  const own = prior === model.prevalence && model.intervals[label === 'positive' ? 'precision' : 'npv'];
  if (!own || Number.isNaN(found.value)) return found;
  const [low, high] = [own.low[stop], own.high[stop]];
  return {value: found.value, ...(label === 'positive' ? {low, high} : {low: 1 - high, high: 1 - low})};
}

/** @param {Model} model @param {string} name @param {number} stop @param {number} prevalence */
function shiftedLimits(model, name, stop, prevalence) {
  if (name === 'precision') {
    const {low, high} = probabilityAfter(model, 'lr_positive', stop, prevalence);
    return {low, high};
  }
  if (name === 'npv') {
    const wrong = probabilityAfter(model, 'lr_negative', stop, prevalence);
    return {low: 1 - wrong.high, high: 1 - wrong.low};
  }
  if (name !== 'lr_positive' && name !== 'lr_negative') return {low: NaN, high: NaN};
  const {low, high} = model.intervals[name] || model.ratios[name];
  return {low: low[stop], high: high[stop]};
}

/** @param {number} odds @param {Interval} ratio */
const breakEven = (odds, {value, low, high}) => ({
  value: FORMULA.break_even(odds, value),
  low: FORMULA.break_even(odds, high),
  high: FORMULA.break_even(odds, low),
});

/** Where a positive label is right as often as not. @param {Model} model @param {number} stop */
export const evenPrevalence = (model, stop) => breakEven(1, ratioOf(model, 'lr_positive', stop));

/**
 * Where the label becomes worth more than acting on none, and where less than acting on all.
 * @param {Model} model @param {number} stop @param {number} worth of one positive found, in false alarms
 */
export const worthwhilePrevalences = (model, stop, worth) => ({
  none: breakEven(1 / worth, ratioOf(model, 'lr_positive', stop)),
  all: breakEven(1 / worth, ratioOf(model, 'lr_negative', stop)),
});

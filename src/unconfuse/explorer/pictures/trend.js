// Any decision metric against the threshold.

import {Chart, tickText} from '../chart.js';
import {select} from '../elements.js';
import {figure} from '../figures.js';
import {decision, nearestStop} from '../models.js';
import {DECISIONS, METRICS} from '../payload.js';
import {change, state} from '../state.js';
import {intervalText, number, numberText} from '../text.js';
import {perModel} from './per_model.js';
import {finiteThresholds, thresholdAxis} from './threshold_axis.js';

/** @import {Model, Picture} from '../types' */

const HOW_TREND =
  'The line is the metric at every threshold, the thin line what labels without ' +
  'information would reach if they labelled as many cases positive. The shade is the interval at each threshold.';

/**
 * The metric's own scale; where it has no end, what nine tenths of the values need.
 * @param {string} name @param {number[]} values
 */
function trendAxis(name, values) {
  const {label, range} = METRICS[name];
  const [low, high] = range.map(number);
  const seen = values.filter(Number.isFinite).sort((a, b) => a - b);
  const most = seen.length ? seen[Math.floor(0.9 * (seen.length - 1))] : 1;
  return {
    low: Number.isFinite(low) ? low : 0,
    high: Number.isFinite(high) ? high : Math.max(1, most * 1.1),
    label,
  };
}

/** @param {ReturnType<typeof decision>} found */
const decisionText = ({value, low, high}) => `${numberText(value)} ${intervalText(low, high)}`;

/** @param {Model} model @param {string} name @returns {Picture} */
function trendOf(model, name) {
  const at = finiteThresholds(model);
  const found = at.map((_, stop) => decision(model, name, stop));
  const column = (/** @type {'value' | 'low' | 'high' | 'chance'} */ key) => found.map(each => each[key]);
  const label = `${METRICS[name].label} of ${model.title} against the threshold`;
  const plot = new Chart(label, thresholdAxis(at, 'Threshold'), trendAxis(name, column('value')));
  plot.band(at, column('low'), column('high'), model.colour);
  plot.line(at, column('chance'), 'baseline');
  plot.line(at, column('value'), model.colour);
  const bounds = plot.interval(model.colour);
  const dot = plot.point(model.colour);
  const cut = plot.upright('cut');
  plot.pick(value => change({stop: Math.min(nearestStop(model, value), at.length - 1)}));
  plot.hover(value => {
    const stop = Math.min(nearestStop(model, value), at.length - 1);
    return `at ${tickText(at[stop])}: ${decisionText(found[stop])}`;
  });
  const follow = () => {
    const threshold = model.thresholds[state.stop];
    const now = decision(model, name, state.stop);
    dot(threshold, now.value);
    bounds({value: threshold, low: NaN, high: NaN}, now, decisionText(now));
    cut(threshold === Infinity ? at[at.length - 1] : threshold);
    plot.describe(`At this threshold ${decisionText(now)}`);
  };
  return {node: plot.wrap, follow};
}

export function trendPicture() {
  let name = DECISIONS.includes('precision') ? 'precision' : DECISIONS[0];
  const options = DECISIONS.map(each => /** @type {[string, string]} */ ([each, METRICS[each].label]));
  const chooser = select('Metric', options, name, value => {
    name = value;
    change({});
  });
  const picture = perModel(
    model => trendOf(model, name),
    () => `${state.model} ${name}`,
  );
  return figure('Any metric against the threshold', picture, HOW_TREND, chooser);
}

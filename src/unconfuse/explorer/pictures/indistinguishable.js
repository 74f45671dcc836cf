// B(r): do labelled cases score like positives?

import {Chart, heightAt, tickText} from '../chart.js';
import {figure} from '../figures.js';
import {nearestStop} from '../models.js';
import {change, state} from '../state.js';
import {numberText, percentText} from '../text.js';
import {perModel} from './per_model.js';
import {finiteThresholds, thresholdAxis} from './threshold_axis.js';

/** @import {Model, Picture} from '../types' */

const HOW_INDISTINGUISHABLE =
  'B(r) is how often a random positive outranks a random case labelled positive from the threshold r on. Where it ' +
  'crosses one half, at r_b, labelled cases and positives rank equally often above each other.';

/** @param {Model} model @returns {Picture} */
function indistinguishableOf(model) {
  const at = finiteThresholds(model);
  const b = model.b || [];
  const drawn = b.slice(0, at.length);
  const highest = at[at.length - 1];
  const plot = new Chart(`B(r) of ${model.title}`, thresholdAxis(at, 'Threshold r'), {low: 0, high: 1, label: 'B(r)'});
  plot.line([at[0], highest], [0.5, 0.5], 'baseline');
  plot.words(plot.inner.right, plot.up(0.5) - 5, 'rank equally often above each other', 'end');
  plot.line(at, drawn, model.colour);
  const dot = plot.point(model.colour);
  const cut = plot.upright('cut');
  plot.pick(value => change({stop: Math.min(nearestStop(model, value), at.length - 1)}));
  plot.hover(value => {
    const share = percentText(heightAt(at, drawn, value));
    return `at ${tickText(value)}: a positive outranks a labelled case ${share} of the time`;
  });
  const follow = () => {
    const threshold = model.thresholds[state.stop];
    dot(threshold, b[state.stop]);
    cut(threshold === Infinity ? highest : threshold);
    plot.describe(`At this threshold B is ${numberText(b[state.stop])}`);
  };
  return {node: plot.wrap, follow};
}

export const indistinguishablePicture = () =>
  figure('Do labelled cases score like positives?', perModel(indistinguishableOf), HOW_INDISTINGUISHABLE);

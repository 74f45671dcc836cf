// How the scores of both classes are spread, and what the threshold calls positive.

import {Chart, clamped, SIZE, tickText} from '../chart.js';
import {svg, uniqueId} from '../elements.js';
import {figure} from '../figures.js';
import {nearestStop} from '../models.js';
import {change, state} from '../state.js';
import {fixed, numbers, percentText} from '../text.js';
import {perModel} from './per_model.js';

/** @import {HistogramPart, Model, Picture} from '../types' */

const HOW_SCORES =
  'Click or drag to move the threshold. Right of the line, everything is labelled positive: full orange bars ' +
  'there are false positives, pale blue bars on the left are missed.';

/** @param {HistogramPart} part */
const readHistogram = part => ({
  left: numbers(part.left),
  right: numbers(part.right),
  positives: numbers(part.share_of_positives),
  negatives: numbers(part.share_of_negatives),
});

/** @typedef {ReturnType<typeof readHistogram>} Histogram */

/** @param {string} title @param {Histogram} bins */
function emptyPlot(title, {left, right, positives, negatives}) {
  const top = Math.max(...positives, ...negatives);
  const most = `${fixed(100 * top, top >= 0.1 ? 0 : 1)}%`;
  /** @type {[number, string][]} */
  const ticks = [
    [top, most],
    [0, '0'],
    [-top, most],
  ];
  const plot = new Chart(
    `Scores of ${title}: positives above the line, negatives below`,
    {low: left[0], high: right[right.length - 1], label: 'Score'},
    {low: -top * 1.08, high: top * 1.08, label: 'Share of each class', ticks},
  );
  plot.note('share of positives', left, positives);
  plot.note('share of negatives', left, negatives);
  return plot;
}

/** Positives above the line, negatives below. @param {Chart} plot @param {Histogram} bins @param {string} look */
function bars(plot, {left, right, positives, negatives}, look) {
  const middle = plot.up(0);
  return left.flatMap((from, i) => {
    const x = plot.across(from);
    const width = Math.max(plot.across(right[i]) - x - 0.6, 0.6);
    const [top, bottom] = [plot.up(positives[i]), plot.up(-negatives[i])];
    return [
      svg('rect', {class: `positive ${look}`, x, width, y: top, height: middle - top}),
      svg('rect', {class: `negative ${look}`, x, width, y: middle, height: bottom - middle}),
    ];
  });
}

/** Pale bars everywhere, full ones right of the threshold. @param {Chart} plot @param {Histogram} bins */
function drawBars(plot, bins) {
  const clip = uniqueId('side');
  const labelled = svg('rect', {x: 0, y: 0, width: SIZE.width, height: SIZE.height});
  plot.node.append(svg('defs', null, svg('clipPath', {id: clip}, labelled)));
  const full = svg('g', {'clip-path': `url(#${clip})`}, bars(plot, bins, 'full'));
  plot.marks.append(svg('g', null, bars(plot, bins, 'faint')), full);
  return labelled;
}

/** @param {Histogram} bins @param {number} score */
function binText({left, right, positives, negatives}, score) {
  const i = right.findIndex(edge => score <= edge);
  if (i < 0) return '';
  const shares = `${percentText(positives[i])} of positives, ${percentText(negatives[i])} of negatives`;
  return `scores ${tickText(left[i])} to ${tickText(right[i])}: ${shares}`;
}

/** @param {Model} model @returns {Picture} */
function scoresOf(model) {
  const {title, histogram, thresholds} = model;
  const bins = readHistogram(/** @type {HistogramPart} */ (histogram));
  const plot = emptyPlot(title, bins);
  const {inner} = plot;
  const labelled = drawBars(plot, bins);
  plot.words(inner.right, inner.top + 10, 'positives', 'end', 'note strong');
  plot.words(inner.right, inner.bottom - 6, 'negatives', 'end', 'note strong');
  const cut = plot.upright('cut');
  plot.pick(score => change({stop: nearestStop(model, score)}));
  plot.hover(score => binText(bins, score));
  const follow = () => {
    const at = thresholds[state.stop];
    const x = at === Infinity ? SIZE.width : clamped(plot.across(at), inner.left, inner.right);
    labelled.setAttribute('x', String(x));
    cut(at === Infinity ? plot.x.high : at);
  };
  return {node: plot.wrap, follow};
}

export const scoresPicture = () => figure('Scores', perModel(scoresOf), HOW_SCORES);

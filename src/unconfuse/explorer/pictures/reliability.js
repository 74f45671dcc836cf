// Do the scores keep their word, taken as probabilities?

import {Chart, heightAt} from '../chart.js';
import {svg} from '../elements.js';
import {figure} from '../figures.js';
import {numbers, percentText} from '../text.js';
import {perModel} from './per_model.js';

/** @import {CurvePart, Model} from '../types' */

const HOW_RELIABILITY =
  'Taken as probabilities, do the scores keep their word? On the diagonal, of the cases with a score of 30%, 30% are ' +
  'positive. The line needs no bins; the dots are ten bins with their intervals.';

/** @param {Chart} plot @param {NonNullable<CurvePart['bins']>} bins @param {string} colour */
function drawBins(plot, bins, colour) {
  const [share, low, high] = [bins.share, bins.low, bins.high].map(numbers);
  numbers(bins.score).forEach((score, i) => {
    const x = plot.across(score);
    plot.marks.append(
      svg('line', {class: `whisker ${colour}`, x1: x, x2: x, y1: plot.up(low[i]), y2: plot.up(high[i])}),
      svg('circle', {class: `point ${colour}`, r: 4, cx: x, cy: plot.up(share[i])}),
    );
  });
}

/** @param {Model} model */
function reliabilityOf({title, colour, curves: {reliability}}) {
  const stated = {low: 0, high: 1, label: 'Stated probability'};
  const plot = new Chart(`Reliability of ${title}`, stated, {low: 0, high: 1, label: 'Share that was positive'});
  plot.line([0, 1], [0, 1], 'baseline');
  if (reliability) {
    const [x, y] = [reliability.x, reliability.y].map(numbers);
    plot.line(x, y, colour);
    if (reliability.bins) drawBins(plot, reliability.bins, colour);
    plot.hover(at => `stated ${percentText(at)}: ${percentText(heightAt(x, y, at))} were positive`);
  }
  return {node: plot.wrap, follow: () => {}};
}

export const reliabilityPicture = () => figure('Reliability', perModel(reliabilityOf), HOW_RELIABILITY);

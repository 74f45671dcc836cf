// Two models by their decision curves: where one is worth more than the other.

import {Chart, heightAt} from '../chart.js';
import {html, remark} from '../elements.js';
import {figure} from '../figures.js';
import {payload} from '../payload.js';
import {intervalText, numbers, numberText, percentText} from '../text.js';

/** @import {DecisionDifferencePart, Section} from '../types' */

const HOW_WORTH =
  'Net benefit of the first model minus that of the second, on the same cases, at each threshold probability. Above ' +
  'the middle line the first has the larger net benefit.';
const AT_ONCE = ' The shade is a band for the whole line at once.';
const ALONE = ' The shade is the interval at each probability by itself.';

/** @param {DecisionDifferencePart} found */
function worthPicture(found) {
  const [x, y, low, high] = [found.x, found.y, found.low, found.high].map(numbers);
  const reach = Math.max(...[...low, ...high].filter(Number.isFinite).map(Math.abs), 1e-4) * 1.05;
  const title = `${found.first} minus ${found.second}`;
  const plot = new Chart(
    `Difference in net benefit: ${title}. ${found.sentence}`,
    {low: 0, high: 1, label: 'Threshold probability'},
    {low: -reach, high: reach, label: 'Difference in net benefit'},
  );
  plot.line([0, 1], [0, 0], 'baseline', 'no difference');
  plot.band(x, low, high, 'one', title);
  plot.line(x, y, 'one', title);
  plot.hover(at => {
    const limits = intervalText(heightAt(x, low, at), heightAt(x, high, at));
    return `acting from ${percentText(at)} on: ${numberText(heightAt(x, y, at))} ${limits}`;
  });
  return figure(
    title,
    plot.wrap,
    HOW_WORTH + (found.kind === 'simultaneous' ? AT_ONCE : ALONE),
    remark(found.sentence),
  );
}

/** @type {Section} */
export const netBenefitsSection = {
  id: 'net-benefits',
  title: 'Decision curves, pair by pair',
  short: 'Net benefit',
  about: 'where one model has a larger net benefit than another, on the same cases',
  when: () => Boolean(payload.decision_differences?.length),
  build: root => root.append(html('div', {class: 'grid'}, (payload.decision_differences || []).map(worthPicture))),
};

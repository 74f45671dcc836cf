// When not to decide: errors among the cases that are decided.

import {Chart} from '../chart.js';
import {CLASSES, theClasses} from '../classes.js';
import {howToRead, html, table} from '../elements.js';
import {figure} from '../figures.js';
import {
  intervalText,
  levelText,
  number,
  numbers,
  numberText,
  percentRange,
  percentText,
  thresholdText,
} from '../text.js';

/** @import {RiskCoveragePart, Section} from '../types' */

const HOW_REJECT =
  'A classifier may leave cases to somebody else when it is not sure. Deciding only those with the highest scores of ' +
  'the predicted class makes fewer mistakes; the line says how many fewer.';
const HOW_RISK =
  'From the left: only the surest cases are decided; at the right end, all of them. The shade is the interval of ' +
  'each point.';

/** @param {RiskCoveragePart} found */
function riskPicture(found) {
  const [x, y, low, high] = [found.coverage, found.risk, found.low, found.high].map(numbers);
  const cut = numbers(found.threshold);
  const overall = number(found.overall);
  const highest = Math.max(...y.filter((_, i) => x[i] > 0.02), overall);
  const area = numberText(number(found.area.value));
  const plot = new Chart(
    `Risk-coverage curve: with everything decided ${percentText(overall)} are wrong; area ${area}`,
    {low: 0, high: 1, label: 'Share of cases decided, the surest first'},
    {low: 0, high: Math.min(1, highest * 1.3 || 0.05), label: 'Share of these that are wrong'},
  );
  plot.band(x, low, high, 'one');
  plot.line(x, y, 'one');
  plot.hover(value => {
    const i = Math.max(
      x.findIndex(each => each >= value),
      0,
    );
    const decided = `deciding ${percentText(x[i])} (from a score of ${thresholdText(cut[i])} on)`;
    return `${decided}: ${percentText(y[i])} wrong ${intervalText(low[i], high[i])}`;
  });
  return figure('Errors among the decided', plot.wrap, HOW_RISK);
}

/** @param {RiskCoveragePart} found */
function coverageTable(found) {
  const rows = found.at.map(each => {
    const [risk, value] = [each.risk, each.value].map(number);
    return [
      `at most ${percentText(risk)}`,
      html('td', {class: 'num', 'data-risk': risk, 'data-value': value}, percentText(value)),
      percentRange(number(each.low), number(each.high)),
      html('td', null, each.cut),
    ];
  });
  const heads = ['Errors wanted', 'Share decided', `${levelText(theClasses().level)} interval`, 'How'];
  return rows.length ? table('How many cases can be decided', heads, rows) : null;
}

/** @type {Section} */
export const rejectSection = {
  id: 'reject',
  title: 'When not to decide',
  short: 'Reject option',
  when: () => Boolean(CLASSES?.risk_coverage),
  build: root => {
    const found = /** @type {RiskCoveragePart} */ (theClasses().risk_coverage);
    root.append(howToRead(HOW_REJECT), html('div', {class: 'grid'}, riskPicture(found), coverageTable(found)));
  },
};

// Which model is better: paired differences, one table for each pair of models.

import {howToRead, html, remark, rowHead, select, table} from '../elements.js';
import {intervalBar} from '../interval_bar.js';
import {payload} from '../payload.js';
import {intervalText, levelText, number, numberText, pValueText, verdictClass} from '../text.js';

/** @import {ComparisonPart, DifferencePart, Section} from '../types' */

const HOW_COMPARISON =
  'Both models are judged on the same cases, so that their differences are paired and much surer than two separate ' +
  'numbers. A bar that stays clear of the middle line tells the models apart; on the right, the first one is better.';

/** @param {ComparisonPart} found @returns {[string, string][]} */
function pairsOf({models, differences}) {
  const keys = new Set(differences.map(each => `${models.indexOf(each.first)} ${models.indexOf(each.second)}`));
  return [...keys].map(key => [key, namesOf(models, key).join(' against ')]);
}

/** @param {string[]} models @param {string} key */
const namesOf = (models, key) => key.split(' ').map(place => models[Number(place)]);

/** @param {string} name */
const shortName = name => (name.length > 14 ? name.slice(0, 13) + '…' : name);

/** The difference and its limits. @param {DifferencePart} part */
const limitsOfDifference = part => [part.difference, part.low, part.high].map(number);

/** A metric of which less is better is turned round. @param {DifferencePart} part @param {number} reach */
function differenceBar(part, reach) {
  const sign = part.better === 'lower' ? -1 : 1;
  const [difference, from, to] = limitsOfDifference(part);
  const [low, high] = [sign * from, sign * to].sort((a, b) => a - b);
  const words = `difference ${numberText(difference)} ${intervalText(from, to)}, ${part.verdict}`;
  return intervalBar(
    {value: sign * difference, low, high, baseline: 0},
    {range: [-reach, reach], look: verdictClass(part.verdict), label: `${part.label}: ${words}`},
  );
}

/** @param {DifferencePart} part @param {number} reach */
function differenceRow(part, reach) {
  const [value, low, high] = limitsOfDifference(part);
  const turned = part.better === 'lower' ? 'lower is better (turned round in the picture)' : '';
  const verdict = html('span', {class: `verdict ${verdictClass(part.verdict)}`}, part.verdict);
  return [
    rowHead(part.label, turned),
    html('td', {class: 'num'}, verdict),
    html('td', {class: 'barcell'}, differenceBar(part, reach)),
    html('td', {class: 'num', 'data-value': value, 'data-metric': part.metric}, numberText(value)),
    intervalText(low, high),
    pValueText(number(part.p_value)),
    numberText(number(part.first_value)),
    numberText(number(part.second_value)),
  ];
}

/** @param {ComparisonPart} found @param {string[]} pair */
function pairTable(found, [first, second]) {
  const parts = found.differences.filter(each => each.first === first && each.second === second);
  const ends = parts.flatMap(limitsOfDifference).filter(Number.isFinite).map(Math.abs);
  const reach = Math.max(...ends, 0.01) * 1.08;
  const heads = [
    'Metric',
    `${shortName(first)} is`,
    html('span', {class: 'nowrap'}, 'worse ← 0 → better'),
    'Difference',
    `${levelText(found.settings.confidence_level)} interval`,
    'p-value',
    shortName(first),
    shortName(second),
  ];
  const rows = parts.map(each => differenceRow(each, reach));
  return table(`Paired differences, ${first} less ${second}`, heads, rows, {class: 'headline forest'});
}

/** @type {Section} */
export const comparisonSection = {
  id: 'comparison',
  title: 'Which model is better, and how sure that is',
  short: 'Comparison',
  when: () => 'comparison' in payload,
  build: root => {
    const found = /** @type {ComparisonPart} */ (payload.comparison);
    const pairs = pairsOf(found);
    const place = html('div', null);
    const draw = (/** @type {string} */ key) => {
      const pair = namesOf(found.models, key);
      place.replaceChildren(html('h3', null, pair.join(' against ')), pairTable(found, pair));
    };
    root.append(howToRead(HOW_COMPARISON));
    if (found.left_out) root.append(remark(`${found.left_out} further models are not on this page.`));
    if (pairs.length > 1) root.append(select('Pair', pairs, pairs[0][0], draw));
    root.append(place);
    draw(pairs[0][0]);
  },
};
